#include "client/certificates/signer_rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/check.h"

namespace proa::client {
namespace signer_rules {

using Usages = std::set<std::string_view>;

constexpr std::string_view kDigitalSignature = "digital signature";
// Used by RSA keys only.
constexpr std::string_view kKeyEncipherment = "key encipherment";
constexpr std::string_view kClientAuth = "client auth";
constexpr std::string_view kServerAuth = "server auth";

Status refused(std::string message) { return {Reason::kInvalid, std::move(message)}; }

Result<void> check_client(std::span<const std::string_view> usages) {
  for (const std::string_view usage : usages) {
    if (usage == kDigitalSignature || usage == kKeyEncipherment || usage == kClientAuth) continue;
    return refused("invalid usage for client certificate: " + std::string(usage));
  }
  if (std::ranges::find(usages, kClientAuth) == usages.end()) {
    return refused("missing required usage for client certificate: " + std::string(kClientAuth));
  }
  return {};
}

// `purpose`: client or server auth.
Result<void> check_usages(std::span<const std::string_view> usages, std::string_view purpose) {
  const Usages asked(usages.begin(), usages.end());
  const Usages wanted{kDigitalSignature, kKeyEncipherment, purpose};
  if (asked == wanted || asked == Usages{kDigitalSignature, purpose}) return {};
  std::string list;
  for (const std::string_view usage : wanted) {
    list.append(list.empty() ? "" : " ").append(usage);
  }
  return refused("usages did not match [" + list + "]");
}

Result<void> check_organization(const crypto::CertificateRequest& request) {
  const auto& organizations = request.identity().organizations;
  if (organizations.size() == 1 && organizations[0] == "system:nodes") return {};
  return refused("subject organization is not system:nodes");
}

Result<void> check_node_name(const crypto::CertificateRequest& request) {
  if (request.identity().common_name.starts_with("system:node:")) return {};
  return refused("subject common name does not begin with system:node:");
}

// Upstream checks in this order, and reports the first problem.
Result<void> check_kubelet_client(const crypto::CertificateRequest& request,
                                  std::span<const std::string_view> usages) {
  TRY(check_organization(request));
  const crypto::CertificateIdentity& names = request.identity();
  if (!names.dns_names.empty()) return refused("DNS subjectAltNames are not allowed");
  if (!names.email_addresses.empty()) return refused("Email subjectAltNames are not allowed");
  if (!names.ip_addresses.empty()) return refused("IP subjectAltNames are not allowed");
  if (!names.uris.empty()) return refused("URI subjectAltNames are not allowed");
  TRY(check_node_name(request));
  return check_usages(usages, kClientAuth);
}

Result<void> check_kubelet_serving(const crypto::CertificateRequest& request,
                                   std::span<const std::string_view> usages) {
  TRY(check_organization(request));
  const crypto::CertificateIdentity& names = request.identity();
  if (names.dns_names.empty() && names.ip_addresses.empty()) {
    return refused("DNS or IP subjectAltName is required");
  }
  if (!names.email_addresses.empty()) return refused("Email subjectAltNames are not allowed");
  if (!names.uris.empty()) return refused("URI subjectAltNames are not allowed");
  TRY(check_usages(usages, kServerAuth));
  return check_node_name(request);
}

}  // namespace signer_rules

bool is_own_signer(std::string_view signer) {
  return signer == kApiServerClientSigner || signer == kKubeletClientSigner ||
         signer == kKubeletServingSigner;
}

Result<void> check_for_signer(std::string_view signer, const crypto::CertificateRequest& request,
                              std::span<const std::string_view> usages) {
  CHECK(is_own_signer(signer));
  if (signer == kKubeletClientSigner) return signer_rules::check_kubelet_client(request, usages);
  if (signer == kKubeletServingSigner) return signer_rules::check_kubelet_serving(request, usages);
  return signer_rules::check_client(usages);
}

}  // namespace proa::client
