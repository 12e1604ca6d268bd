// A set of bytes by address: pages of one bit a byte, which exist once a byte of theirs is in the set. Its memory is an
// eighth of what it covers, whatever the order of insertion; a page that is wholly in it needs none.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace drywarp::check {

class ByteSet {
  static constexpr uint64_t kPageBytes = uint64_t{1} << 14;
  static constexpr unsigned kWords = kPageBytes / 64;
  using Bits = std::array<std::atomic<uint64_t>, kWords>;

 public:
  struct Range {
    uint64_t begin = 0, end = 0;
  };

  ByteSet() = default;
  ByteSet(const ByteSet&) = delete;
  ByteSet& operator=(const ByteSet&) = delete;

  // Inserts on behalf of one thread; many threads may have one. The set is only inserted to meanwhile.
  class Writer {
   public:
    explicit Writer(ByteSet& set) : set_(&set) {}
    void insert(uint64_t address, uint64_t bytes);

   private:
    ByteSet* set_;
    uint64_t page_ = ~uint64_t{0};  // the last one
    Bits* bits_ = nullptr;          // null: every byte is in the set
  };

  // None of these is thread-safe.
  void insert(uint64_t address, uint64_t bytes);
  void insert(const ByteSet& other);
  void erase(uint64_t address, uint64_t bytes);
  void erase(const ByteSet& other);
  [[nodiscard]] bool empty() const { return pages_.empty(); }
  [[nodiscard]] bool has(uint64_t address) const { return has_any(address, 1); }
  [[nodiscard]] bool has_any(uint64_t address, uint64_t bytes) const;
  [[nodiscard]] bool has_all(uint64_t address, uint64_t bytes) const { return count(address, bytes) == bytes; }
  [[nodiscard]] uint64_t count(uint64_t address, uint64_t bytes) const;
  // The first bytes at or behind `from` that both sets have, one after the other, as far as a word of 64 reaches.
  [[nodiscard]] std::optional<Range> common(const ByteSet& other, uint64_t from = 0) const;
  [[nodiscard]] uint64_t memory() const;  // bytes that it takes

 private:
  struct Page {
    std::unique_ptr<Bits> bits;  // null: every byte
    [[nodiscard]] uint64_t word(unsigned i) const {
      return bits ? (*bits)[i].load(std::memory_order_relaxed) : ~uint64_t{0};
    }
  };
  // Visits the words of [address, address + bytes) with the mask of the bytes in them, until `visit` returns false.
  template <class Visit>
  void for_each_word(uint64_t address, uint64_t bytes, Visit visit) const;
  [[nodiscard]] bool is_apart(const ByteSet& other) const;  // no page is in both
  static Bits& split(Page& page);                           // so that it has bits
  static bool is_empty(const Page& page);

  std::mutex mutex_;                // of `pages_`, among writers
  std::map<uint64_t, Page> pages_;  // by address / kPageBytes
};

}  // namespace drywarp::check
