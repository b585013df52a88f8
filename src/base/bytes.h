#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace proa {

// Immutable bytes with shared ownership: a view, and whatever keeps it alive. Copies and slices
// cost a reference count, so that one encoded object is sent to a thousand watchers without a copy.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::string text)  // NOLINT: a string is bytes
      : Bytes(std::make_shared<const std::string>(std::move(text))) {}
  Bytes(std::shared_ptr<const std::string> text)  // NOLINT
      : view_(*text), owner_(std::move(text)) {}
  // REQUIRES: `owner` keeps `view` alive and unchanged.
  Bytes(std::string_view view, std::shared_ptr<const void> owner)
      : view_(view), owner_(std::move(owner)) {}

  // For text that lives as long as the process: literals.
  static Bytes of_static(std::string_view text) { return {text, nullptr}; }
  static Bytes copy_of(std::string_view text) { return Bytes(std::string(text)); }

  std::string_view view() const { return view_; }
  const char* data() const { return view_.data(); }
  size_t size() const { return view_.size(); }
  bool empty() const { return view_.empty(); }
  std::string str() const { return std::string(view_); }

  // The part from `offset` on, at most `count` long, sharing the same owner.
  Bytes slice(size_t offset, size_t count = std::string_view::npos) const {
    return {view_.substr(offset, count), owner_};
  }
  void remove_prefix(size_t count) { view_.remove_prefix(count); }

  // Identifies what keeps the bytes alive, and its other parts; null for static text.
  const void* owner() const { return owner_.get(); }

  bool operator==(const Bytes& other) const { return view_ == other.view_; }

 private:
  friend class WeakBytes;
  std::string_view view_;
  std::shared_ptr<const void> owner_;
};

// Bytes that somebody else keeps alive. REQUIRES: they are not static.
class WeakBytes {
 public:
  WeakBytes() = default;
  explicit WeakBytes(const Bytes& bytes) : view_(bytes.view_), owner_(bytes.owner_) {}

  // Nullopt if they are gone.
  std::optional<Bytes> lock() const {
    std::shared_ptr<const void> owner = owner_.lock();
    if (owner == nullptr) return std::nullopt;
    return Bytes(view_, std::move(owner));
  }

 private:
  std::string_view view_;
  std::weak_ptr<const void> owner_;
};

}  // namespace proa
