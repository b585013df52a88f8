#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/threads/mutex.h"
#include "crypto/certificate.h"

namespace proa::apiserver {

// How serving certificates of kubelets are judged.
enum class KubeletTls : uint8_t {
  kVerify,  // signed by a trusted CA, for the Node's address
  kPin,     // that, or a foreign one that is still the one of the first connection
  kSkip,    // not at all: upstream without --kubelet-certificate-authority
};

// The annotation of a Node that holds what its kubelet showed: "authority" or "sha256:HEX" of its
// certificate. An administrator removes it after replacing a kubelet's certificate.
inline constexpr std::string_view kKubeletPin = "proa.dev/kubelet-certificate";

// The kubelet that a connection is meant for.
struct ExpectedKubelet {
  std::string node = {};
  std::string uid = {};  // of the Node: another object of that name is another kubelet
  std::string pin = {};  // the annotation; empty: none yet

  // For http::Origin::peer.
  std::string str() const;
  static ExpectedKubelet parse(std::string_view text);
};

// Judges kubelets' certificates in the mode kPin. A kubelet that once showed a certificate of the
// trusted CAs must go on to do so; another one is recognized by the certificate of its first
// connection. Thread-safe.
class KubeletTrust {
 public:
  // Stores a pin in the Node's annotation, later; then calls forget(). Must not block.
  using Remember = std::function<void(const ExpectedKubelet& kubelet)>;

  explicit KubeletTrust(std::string_view authorities_pem);
  // REQUIRES: before the first check().
  void set_remember(Remember remember) { remember_ = std::move(remember); }

  // `verified`: whether the chain, the leaf first, is signed by the trusted CAs and valid for the
  // address. kServiceUnavailable, with advice, if the kubelet is not trusted.
  Result<void> check(const ExpectedKubelet& kubelet, const Result<void>& verified,
                     const std::vector<std::string>& chain_der) EXCLUDES(mutex_);
  // The annotation has the pin, or the Node is gone.
  void forget(const std::string& uid) EXCLUDES(mutex_);

 private:
  bool is_of_authorities(const std::vector<std::string>& chain_der) const;
  void keep(ExpectedKubelet kubelet, const std::string& pin) EXCLUDES(mutex_);
  std::string pin_of(const ExpectedKubelet& kubelet) const EXCLUDES(mutex_);

  std::vector<crypto::PublicKey> authorities_;
  Remember remember_;
  mutable Mutex mutex_;
  // By uid, until the annotation is written: the next connection may come earlier.
  std::map<std::string, std::string, std::less<>> unwritten_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver
