#include "client/certificates/request_object.h"

#include "base/encoding.h"

namespace proa::client {

RequestVerdict request_verdict_of(api::View object) {
  RequestVerdict verdict;
  for (const api::View condition : object["status"]["conditions"].items()) {
    const std::string_view type = condition["type"].text();
    if (type == "Approved") verdict.approved = true;
    if (type == "Denied") verdict.denied = true;
    const std::string_view status = condition["status"].text();
    if (type == "Failed" && (status.empty() || status == "True")) verdict.failed = true;
  }
  return verdict;
}

bool has_certificate(api::View object) { return !object["status"]["certificate"].text().empty(); }

std::vector<std::string_view> usages_of(api::View object) {
  std::vector<std::string_view> usages;
  for (const api::View usage : object["spec"]["usages"].items()) usages.push_back(usage.text());
  return usages;
}

Result<crypto::CertificateRequest> request_of(api::View object) {
  return crypto::CertificateRequest::parse(
      from_base64(object["spec"]["request"].text()).value_or(""));
}

}  // namespace proa::client
