// Certificate requests, as PEM or DER: the certificate has exactly the verified identity, and is
// never a CA.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "client/certificates/signer_rules.h"
#include "controllers/access/certificates/approval.h"
#include "controllers/access/certificates/sign.h"
#include "crypto/authority.h"
#include "crypto/certificate_request.h"
#include "testkit/crypto/test_request.h"

namespace proa::controllers {
namespace {

constexpr std::string_view kSigners[] = {
    proa::client::kApiServerClientSigner, proa::client::kKubeletClientSigner,
    proa::client::kKubeletServingSigner, "kubernetes.io/legacy-unknown"};
constexpr std::string_view kUsages[][3] = {
    {"client auth", "digital signature", "key encipherment"},
    {"server auth", "digital signature", "key encipherment"},
};

const crypto::CertifiedKey& authority() {
  static const crypto::CertifiedKey kAuthority = [] {
    crypto::CertificateTemplate wanted;
    wanted.common_name = "fuzz";
    wanted.not_before = Time();
    wanted.not_after = Time(std::chrono::hours(24 * 365 * 200));
    return crypto::make_authority(wanted).value();
  }();
  return kAuthority;
}

json::Document object_of(const std::string& pem, uint8_t choice) {
  json::Document made;
  json::Arena& arena = made.arena();
  made.root() = json::Value::object();
  json::Value spec = json::Value::object();
  spec.set(arena, "signerName", json::Value::borrowed(kSigners[choice >> 1 & 3]));
  spec.set(arena, "request", json::Value::string(arena, to_base64(pem)));
  json::Value usages = json::Value::array();
  for (const std::string_view usage : kUsages[choice >> 3 & 1]) {
    usages.push_back(arena, json::Value::borrowed(usage));
  }
  spec.set(arena, "usages", std::move(usages));
  made.root().set(arena, "spec", std::move(spec));
  return made;
}

void approve(json::Document& document) {
  json::Arena& arena = document.arena();
  json::Value condition = json::Value::object();
  condition.set(arena, "type", json::Value::borrowed("Approved"));
  json::Value conditions = json::Value::array();
  conditions.push_back(arena, std::move(condition));
  json::Value status = json::Value::object();
  status.set(arena, "conditions", std::move(conditions));
  document.root().set(arena, "status", std::move(status));
}

void check_certificate(const std::string& pem, const crypto::CertificateRequest& request) {
  const crypto::Certificate made = crypto::Certificate::parse(pem).value();
  CHECK(!made.is_authority());
  // Attributes of one kind are a SET, which DER sorts.
  const auto sorted = [](crypto::CertificateIdentity identity) {
    for (auto* values : {&identity.countries, &identity.organizations,
                         &identity.organizational_units, &identity.localities, &identity.provinces,
                         &identity.street_addresses, &identity.postal_codes}) {
      std::ranges::sort(*values);
    }
    return identity;
  };
  CHECK(sorted(made.identity().value()) == sorted(request.identity()));
}

void run(const std::string& pem, uint8_t choice) {
  const auto request = crypto::CertificateRequest::parse(pem);
  json::Document document = object_of(pem, choice);
  const auto approval =
      approval_of(document.root(), [](std::string_view) -> Result<bool> { return true; });
  approve(document);
  const SystemClock clock;
  const auto done = sign_request(document.root(), authority(), clock);
  if (!request) {
    CHECK(!approval.ok() || !approval->has_value());
    CHECK(!done.ok() || done->certificate_pem.empty());
    return;
  }
  if (!request->check_signature()) CHECK(!done.ok() || done->certificate_pem.empty());
  if (done.ok() && !done->certificate_pem.empty()) {
    check_certificate(done->certificate_pem, *request);
  }
}

}  // namespace
}  // namespace proa::controllers

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa::controllers;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string pem =
      (data[0] & 1) != 0 ? std::string(text) : proa::crypto::TestRequest::to_pem(text);
  run(pem, data[0]);
  const auto request = proa::crypto::CertificateRequest::parse(pem);
  // Otherwise nearly all inputs would fail at their signature.
  if (request.ok()) run(proa::crypto::with_good_signature(pem), data[0]);
  return 0;
}
