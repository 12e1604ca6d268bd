// What nvcc includes by itself before a program's first line, and programs rely on.
template <class T>
T sum(std::initializer_list<T> values) {
  T out{};
  for (T value : values) out += std::move(value);
  return out;
}
int included_by_itself() {
  return sum({1, 2, 3}) + isdigit('1') + std::pair<int, int>(1, 2).second + std::numeric_limits<int>::max();
}

__global__ void kernel() {}

int main() {
  kernel<<<1, 1>>>();
  return included_by_itself() ? 0 : 1;
}
