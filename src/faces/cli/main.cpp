#include "faces/cli/options/commands.h"

int main(int argc, char** argv) { return drywarp::cli::main_command(argc, argv); }
