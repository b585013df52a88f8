#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace proa::encryption {

// Encrypts values in one way, and decrypts what it encrypted. Values on disk begin with the
// provider's prefix, so that they say who reads them. Failures of decrypt() are kForbidden, or
// kServiceUnavailable if it may succeed later. Thread-safe.
class Provider {
 public:
  explicit Provider(std::string prefix) : prefix_(std::move(prefix)) {}
  virtual ~Provider() = default;

  // "k8s:enc:aesgcm:v1:".
  const std::string& prefix() const { return prefix_; }

  // Whether encrypt() will succeed. Does not block.
  virtual Result<void> writable() const { return {}; }
  // Appends what follows the prefix. `key`: of the object; authenticated where the cipher can. Does
  // not block.
  virtual Result<void> encrypt(std::string_view key, std::string_view plain,
                               std::string& out) const = 0;
  // `data`: what follows the prefix; not trusted. May block.
  virtual Result<std::string> decrypt(std::string_view key, std::string_view data) const = 0;
  // Whether encrypt() would use another key.
  virtual bool is_stale(std::string_view key, std::string_view data) const = 0;

  // Whether the configuration names such a key.
  virtual bool has_key(std::string_view name) const {
    static_cast<void>(name);
    return false;
  }
  // Another key has the same prefix and name: then these do not say whether a value is stale.
  // REQUIRES: nothing was encrypted or decrypted yet.
  virtual void distrust_names() {}

 private:
  const std::string prefix_;
};

// Of failures to decrypt.
inline Status undecipherable(std::string why) { return {Reason::kForbidden, std::move(why)}; }

// "[a, b]", or the only one. REQUIRES: at least one. kServiceUnavailable if one of them is.
Status combined(const std::vector<Status>& failures);

}  // namespace proa::encryption
