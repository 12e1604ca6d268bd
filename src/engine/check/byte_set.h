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
    void insert(uint64_t address, uint64_t bytes) {
      // Most often bytes of one word, in a page of before.
      const Cached& page = pages_[address / kPageBytes % pages_.size()];
      if (page.number == address / kPageBytes && bytes != 0 && address % 64 + bytes <= 64) {
        if (!page.bits) return;
        const uint64_t mask = (~uint64_t{0} >> (64 - bytes)) << address % 64;
        std::atomic<uint64_t>& word = (*page.bits)[address % kPageBytes / 64];
        if ((word.load(std::memory_order_relaxed) & mask) != mask) word.fetch_or(mask, std::memory_order_relaxed);
      } else {
        insert_any(address, bytes);
      }
    }

    // Of 64 bytes from a multiple of 64 on, those of the mask.
    void insert_mask(uint64_t address, uint64_t mask) {
      const Cached& page = page_of(address / kPageBytes);
      if (!page.bits) return;
      std::atomic<uint64_t>& word = (*page.bits)[address % kPageBytes / 64];
      if ((word.load(std::memory_order_relaxed) & mask) != mask) word.fetch_or(mask, std::memory_order_relaxed);
    }

   private:
    struct Cached {
      uint64_t number = ~uint64_t{0};
      Bits* bits = nullptr;  // null: every byte is in the set
    };
    void insert_any(uint64_t address, uint64_t bytes);
    const Cached& page_of(uint64_t number) {
      const Cached& page = pages_[number % pages_.size()];
      return page.number == number ? page : find_page(number);
    }
    const Cached& find_page(uint64_t number);

    ByteSet* set_;
    std::array<Cached, 16> pages_{};  // a warp's lanes may be in several
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
