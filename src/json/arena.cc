#include "json/arena.h"

#include <algorithm>
#include <new>

namespace proa::json {
namespace arena {

// Small, so that tiny documents waste little; grows by half up to a size where the number of blocks
// no longer matters.
constexpr size_t kFirstBlock = 512;
constexpr size_t kLargestBlock = size_t{256} * 1024;
constexpr size_t kAlignment = 16;

}  // namespace arena

Arena& Arena::operator=(Arena&& other) noexcept {
  if (this == &other) return *this;
  release();
  blocks_ = std::exchange(other.blocks_, nullptr);
  next_ = std::exchange(other.next_, 0);
  end_ = std::exchange(other.end_, 0);
  reserved_ = std::exchange(other.reserved_, 0);
  return *this;
}

void* Arena::allocate_block(size_t size) {
  static_assert(sizeof(Block) <= arena::kAlignment);
  const size_t usual = std::clamp(std::max(reserved_ / 2, std::exchange(expected_, 0)),
                                  arena::kFirstBlock, arena::kLargestBlock);
  const size_t total = std::max(usual, size + arena::kAlignment);
  auto* memory = static_cast<char*>(::operator new(total));
  blocks_ = new (memory) Block{blocks_};
  reserved_ += total;

  char* const place = memory + arena::kAlignment;
  // A large piece gets its own block; the rest of the current one stays in use.
  const auto rest = reinterpret_cast<uintptr_t>(place + size);
  const auto end = reinterpret_cast<uintptr_t>(memory + total);
  if (end - rest > end_ - next_) {
    next_ = rest;
    end_ = end;
  }
  return place;
}

void Arena::release() {
  while (blocks_ != nullptr) ::operator delete(std::exchange(blocks_, blocks_->previous));
  next_ = end_ = reserved_ = 0;
}

}  // namespace proa::json
