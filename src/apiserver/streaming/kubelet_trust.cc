#include "apiserver/streaming/kubelet_trust.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "crypto/digest.h"

namespace proa::apiserver {
namespace kubelet_trust {

const Log kLog{"apiserver"};

constexpr std::string_view kAuthority = "authority";

Status refused(const ExpectedKubelet& kubelet, const std::string& why) {
  return {
      Reason::kServiceUnavailable,
      fmt::format("the kubelet of node {0} is not trusted: {1}; if its certificate was replaced "
                  "on purpose, run: kubectl annotate node {0} {2}-",
                  kubelet.node, why, kKubeletPin)};
}

}  // namespace kubelet_trust

std::string ExpectedKubelet::str() const { return node + " " + uid + " " + pin; }

ExpectedKubelet ExpectedKubelet::parse(std::string_view text) {
  const auto name = split_once(text, ' ');
  if (!name) return {.node = std::string(text)};
  const auto rest = split_once(name->after, ' ');
  if (!rest) return {.node = std::string(name->before), .uid = std::string(name->after)};
  return {.node = std::string(name->before),
          .uid = std::string(rest->before),
          .pin = std::string(rest->after)};
}

KubeletTrust::KubeletTrust(std::string_view authorities_pem) {
  for (const crypto::Certificate& one : crypto::Certificate::parse_all(authorities_pem)) {
    if (auto key = one.public_key()) authorities_.push_back(std::move(*key));
  }
}

bool KubeletTrust::is_of_authorities(const std::vector<std::string>& chain_der) const {
  return std::ranges::any_of(chain_der, [&](const std::string& der) {
    const auto certificate = crypto::Certificate::parse_der(der);
    return certificate && std::ranges::any_of(authorities_, [&](const crypto::PublicKey& key) {
             return certificate->is_signed_by(key);
           });
  });
}

std::string KubeletTrust::pin_of(const ExpectedKubelet& kubelet) const {
  MutexLock lock(mutex_);
  const auto found = unwritten_.find(kubelet.uid);
  return found == unwritten_.end() ? kubelet.pin : found->second;
}

void KubeletTrust::keep(ExpectedKubelet kubelet, const std::string& pin) {
  {
    MutexLock lock(mutex_);
    unwritten_[kubelet.uid] = pin;
  }
  kubelet.pin = pin;
  kubelet_trust::kLog.info("kubelet certificate remembered",
                           {{"node", kubelet.node}, {"certificate", pin}});
  if (remember_) remember_(kubelet);
}

void KubeletTrust::forget(const std::string& uid) {
  MutexLock lock(mutex_);
  unwritten_.erase(uid);
}

Result<void> KubeletTrust::check(const ExpectedKubelet& kubelet, const Result<void>& verified,
                                 const std::vector<std::string>& chain_der) {
  using namespace kubelet_trust;
  const std::string pin = pin_of(kubelet);
  if (verified) {
    if (pin != kAuthority) keep(kubelet, std::string(kAuthority));
    return {};
  }
  if (chain_der.empty()) return verified.status();
  // Expired, or another node's: not a foreign one that would be recognized by itself.
  if (is_of_authorities(chain_der)) return verified.status();
  if (pin == kAuthority) {
    return refused(kubelet, verified.status().message() +
                                ", but it had a certificate of the cluster's CA before");
  }
  const std::string shown = "sha256:" + crypto::sha256(chain_der.front()).hex();
  if (pin.empty()) {
    keep(kubelet, shown);
    return {};
  }
  if (pin == shown) return {};
  return refused(kubelet, fmt::format("its certificate changed from {} to {}", pin, shown));
}

}  // namespace proa::apiserver
