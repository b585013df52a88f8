#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.h"
#include "base/time.h"

namespace proa::store {

// The number of a commit. Grows by one per commit, never decreases; zero means "none" or "current".
struct Revision {
  int64_t value = 0;

  Revision next() const { return {value + 1}; }
  Revision previous() const { return {value - 1}; }
  auto operator<=>(const Revision&) const = default;
};

// Data derived from an entry, kept with it for later readers.
class Companion {
 public:
  virtual ~Companion() = default;
};

class Entry;
using EntryPtr = std::shared_ptr<const Entry>;

// One version of one key: immutable, shared by all readers, a single allocation with its key, value
// and reference count. A deleted key leaves an entry without a value.
class Entry {
 public:
  struct Facts {
    Revision mod_revision;     // the commit that wrote this version
    Revision create_revision;  // the commit that created the key; zero if deleted
    int64_t version = 0;       // 1 for the first since creation; zero if deleted
    uint32_t index = 0;        // position within its commit
    bool deleted = false;
    // The value has its form on disk: it was read without the keys to it (ValueTransformer).
    bool sealed = false;
    std::optional<Time> expiry;
  };

  static EntryPtr make(std::string_view key, std::string_view value, const Facts& facts);
  // With a value made of several parts.
  static EntryPtr make(std::string_view key, std::span<const std::string_view> value,
                       const Facts& facts);
  // The same with the value that a sealed one stands for.
  static EntryPtr make_unsealed(const Entry& from, std::string_view value);
  // The same without a companion, in memory for what stays (allocate_apart).
  static EntryPtr make_apart(const Entry& from);

  Revision mod_revision() const { return facts_.mod_revision; }
  Revision create_revision() const { return facts_.create_revision; }
  int64_t version() const { return facts_.version; }
  uint32_t index() const { return facts_.index; }
  bool deleted() const { return facts_.deleted; }
  bool sealed() const { return facts_.sealed; }
  const std::optional<Time>& expiry() const { return facts_.expiry; }
  std::string_view key() const { return {text(), key_size_}; }
  std::string_view value() const { return {text() + key_size_, value_size_}; }
  // Both, contiguous.
  std::string_view key_and_value() const { return {text(), size_t{key_size_} + value_size_}; }
  // Approximate memory.
  size_t footprint() const { return sizeof(Entry) + key_size_ + value_size_; }

  // Null until one is attached. It lives as long as the entry, and must not keep it alive.
  const Companion* companion() const { return companion_.load(std::memory_order_acquire); }
  // The first one attached stays and is returned. Thread-safe.
  const Companion* attach(std::unique_ptr<const Companion> companion) const;

  // Use make().
  Entry(const Facts& facts, std::string_view key, std::span<const std::string_view> value,
        size_t value_size);
  ~Entry() { delete companion(); }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  const char* text() const { return reinterpret_cast<const char*>(this + 1); }

  Facts facts_;
  mutable std::atomic<const Companion*> companion_ = nullptr;
  uint32_t key_size_;
  uint32_t value_size_;
};

// The value, sharing the entry's memory.
inline Bytes value_of(const EntryPtr& entry) { return {entry->value(), entry}; }

}  // namespace proa::store
