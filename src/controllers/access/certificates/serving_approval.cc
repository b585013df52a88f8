#include "controllers/access/certificates/serving_approval.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/net/ip_address.h"
#include "client/certificates/signer_rules.h"
#include "crypto/certificate_request.h"

namespace proa::controllers {
namespace serving_approval {

using api::View;

constexpr std::string_view kUserPrefix = "system:node:";

std::string normalized(std::string_view text) {
  const std::optional<IpAddress> address = parse_ip(text);
  return address ? address->str() : std::string(text);
}

bool has_text(View list, std::string_view text) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(), [&](View item) { return item.text() == text; });
}

Status refused(std::string message) { return {Reason::kForbidden, std::move(message)}; }

}  // namespace serving_approval

std::optional<std::string> serving_node_of(api::View object) {
  using namespace serving_approval;
  const View spec = object["spec"];
  const std::string_view user = spec["username"].text();
  if (spec["signerName"].text() != client::kKubeletServingSigner) return std::nullopt;
  if (!user.starts_with(kUserPrefix) || !has_text(spec["groups"], "system:nodes")) {
    return std::nullopt;
  }
  const client::RequestVerdict verdict = client::request_verdict_of(object);
  if (client::has_certificate(object) || verdict.approved || verdict.denied || verdict.failed) {
    return std::nullopt;
  }
  return std::string(user.substr(kUserPrefix.size()));
}

std::vector<std::string> names_of_node(api::View node) {
  std::vector<std::string> names;
  for (const api::View address : node["status"]["addresses"].items()) {
    names.push_back(serving_approval::normalized(address["address"].text()));
  }
  return names;
}

Result<client::RequestCondition> serving_approval_of(api::View object, api::View node,
                                                     const IsTaken& is_taken) {
  using namespace serving_approval;
  const crypto::CertificateRequest request = TRY(client::request_of(object));
  TRY(client::check_for_signer(client::kKubeletServingSigner, request, client::usages_of(object)));
  const crypto::CertificateIdentity& identity = request.identity();
  if (identity.common_name != object["spec"]["username"].text()) {
    return refused("the request is for another node than the one that sent it");
  }
  const std::vector<std::string> own = names_of_node(node);
  if (own.empty()) return Status(Reason::kNotFound, "the Node has no addresses yet");
  std::vector<std::string> asked = identity.dns_names;
  for (const std::string& address : identity.ip_addresses) asked.push_back(normalized(address));
  for (const std::string& name : asked) {
    if (std::ranges::find(own, name) == own.end()) {
      return refused(fmt::format("{} is not an address of the Node", name));
    }
    if (is_taken(name)) {
      return refused(fmt::format("{} belongs to the API server or to another Node, too", name));
    }
  }
  return client::RequestCondition{
      .type = "Approved",
      .reason = "AutoApproved",
      .message = "Auto approving kubelet serving certificate whose names are the Node's."};
}

}  // namespace proa::controllers
