#pragma once

#include <algorithm>
#include <atomic>
#include <string>

#include "store/value_transformer.h"

namespace proa::testkit {

// Hides values of keys below "/secret/": a letter that stands for the key, a colon, and the value
// with every bit flipped. Reads the letters that it knows, and plain values if it may.
class ToyTransformer final : public store::ValueTransformer {
 public:
  // `letters`: the first one is written; '-' stands for plain values.
  explicit ToyTransformer(std::string letters) : letters_(std::move(letters)) {}

  Result<void> writable(std::string_view key) const override {
    if (applies(key) && broken) return Status(Reason::kInternalError, "the toy is broken");
    return {};
  }
  Result<bool> to_disk(std::string_view key, std::string_view value,
                       std::string& out) const override {
    if (!applies(key) || letters_.front() == '-') return false;
    out.push_back(letters_.front());
    out.push_back(':');
    for (const char byte : value) out.push_back(static_cast<char>(~byte));
    return true;
  }
  Result<std::optional<std::string>> from_disk(std::string_view key,
                                               const store::DiskValue& stored) const override {
    const char letter = stored.transformed && !stored.bytes.empty() ? stored.bytes.front() : '-';
    if (!applies(key) && !stored.transformed) return std::optional<std::string>();
    if (letters_.find(letter) == std::string::npos) {
      return Status(Reason::kForbidden, std::string("no key ") + letter);
    }
    if (!stored.transformed) return std::optional<std::string>();
    std::string value;
    for (const char byte : stored.bytes.substr(2)) value.push_back(static_cast<char>(~byte));
    return std::optional(std::move(value));
  }
  bool is_stale(std::string_view key, const store::DiskValue& stored) const override {
    const char letter = stored.transformed ? stored.bytes.front() : '-';
    return letter != (applies(key) ? letters_.front() : '-');
  }

  std::atomic<bool> broken = false;

 private:
  static bool applies(std::string_view key) { return key.starts_with("/secret/"); }

  const std::string letters_;
};

}  // namespace proa::testkit
