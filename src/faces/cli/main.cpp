#include "faces/cli/options/command.h"

int main(int argc, char** argv) { return drywarp::cli::main_command(argc, argv); }
