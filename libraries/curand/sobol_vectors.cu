// Direction vectors from the primitive polynomials, in the order of their degrees, and Joe and Kuo's initial numbers.
#include "sobol_vectors.h"

#include <sys/mman.h>
#include <unistd.h>

#include "sobol_numbers.h"

namespace drywarp::curand {
namespace {

// Remainders of polynomials over GF(2), bit i of which is the coefficient of x^i.
struct Polynomial {
  unsigned bits, degree;

  [[nodiscard]] unsigned product(unsigned a, unsigned b) const {
    unsigned result = 0;
    for (; b != 0; b >>= 1) {
      if (b & 1) result ^= a;
      a <<= 1;
      if (a >> degree & 1) a ^= bits;
    }
    return result;
  }
  [[nodiscard]] unsigned power_of_x(unsigned exponent) const {
    unsigned result = 1, square = degree == 1 ? 2 ^ bits : 2;
    for (; exponent != 0; exponent >>= 1) {
      if (exponent & 1) result = product(result, square);
      square = product(square, square);
    }
    return result;
  }
  // x has the order 2^degree - 1.
  [[nodiscard]] bool is_primitive() const {
    const unsigned order = (1u << degree) - 1;
    if (power_of_x(order) != 1) return false;
    unsigned rest = order;
    for (unsigned prime = 2; prime * prime <= rest; ++prime) {
      if (rest % prime != 0) continue;
      while (rest % prime == 0) rest /= prime;
      if (power_of_x(order / prime) == 1) return false;
    }
    return rest == 1 || rest == order || power_of_x(order / rest) != 1;
  }
};

// Initial numbers, one after another.
class Numbers {
 public:
  // Of `bits` bits, the last of which is 1.
  unsigned next(unsigned bits) {
    unsigned value = 1;
    for (unsigned i = 1; i < bits; ++i, ++at_) value |= (kInitialNumbers[at_ / 32] >> at_ % 32 & 1) << i;
    return value;
  }

 private:
  unsigned at_ = 0;
};

template <class Word>
void fill(Word* first) {
  constexpr unsigned kBits = 8 * sizeof(Word);
  for (unsigned k = 0; k < kBits; ++k) first[k] = Word{1} << (kBits - 1 - k);  // van der Corput's sequence
  Numbers numbers;
  unsigned dimension = 1;
  for (unsigned degree = 1; dimension < kMostDimensions; ++degree)
    for (unsigned middle = 0; middle < 1u << (degree - 1) && dimension < kMostDimensions; ++middle) {
      if (!Polynomial{1u << degree | middle << 1 | 1, degree}.is_primitive()) continue;
      Word* const v = first + dimension++ * kBits;
      for (unsigned k = 0; k < kBits; ++k) {
        if (k < degree) {
          v[k] = Word{numbers.next(k + 1)} << (kBits - 1 - k);
          continue;
        }
        v[k] = v[k - degree] ^ (v[k - degree] >> degree);
        for (unsigned i = 1; i < degree; ++i)
          if (middle >> (degree - 1 - i) & 1) v[k] ^= v[k - i];
      }
    }
}

// cuRAND's tables have 20,000 dimensions, and a program may read any of them. Those that drywarp lacks are no memory, so
// that such a program ends instead of computing with wrong numbers.
template <class Word>
Word* make_table() {
  constexpr size_t kRow = 8 * sizeof(Word) * sizeof(Word), kTheirs = 20000;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t here = (kMostDimensions * kRow + page - 1) / page * page;
  void* const reserved = mmap(nullptr, here + kTheirs * kRow, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserved == MAP_FAILED || mprotect(reserved, here, PROT_READ | PROT_WRITE) != 0) return nullptr;
  auto* const first = reinterpret_cast<Word*>(static_cast<char*>(reserved) + here - kMostDimensions * kRow);
  fill(first);
  mprotect(reserved, here, PROT_READ);
  return first;
}

}  // namespace

const uint32_t (*sobol_vectors32())[32] {
  static const uint32_t* const table = make_table<uint32_t>();
  return reinterpret_cast<const uint32_t(*)[32]>(table);
}
const uint64_t (*sobol_vectors64())[64] {
  static const uint64_t* const table = make_table<uint64_t>();
  return reinterpret_cast<const uint64_t(*)[64]>(table);
}

}  // namespace drywarp::curand

using namespace drywarp::curand;

extern "C" {

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[], curandDirectionVectorSet_t set) {
  if (!vectors || set != CURAND_DIRECTION_VECTORS_32_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
  const auto table = sobol_vectors32();
  if (!table) return CURAND_STATUS_ALLOCATION_FAILED;
  *vectors = reinterpret_cast<curandDirectionVectors32_t*>(const_cast<uint32_t(*)[32]>(table));
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[], curandDirectionVectorSet_t set) {
  if (!vectors || set != CURAND_DIRECTION_VECTORS_64_JOEKUO6) return CURAND_STATUS_OUT_OF_RANGE;
  const auto table = sobol_vectors64();
  if (!table) return CURAND_STATUS_ALLOCATION_FAILED;
  *vectors = reinterpret_cast<curandDirectionVectors64_t*>(const_cast<uint64_t(*)[64]>(table));
  return CURAND_STATUS_SUCCESS;
}

}  // extern "C"
