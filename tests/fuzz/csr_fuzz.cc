// Requests for certificates, in PEM or as the bytes in it: whatever they say, a certificate says no
// more than what was looked at, and is of nobody who could sign others.

#include <openssl/x509v3.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "client/certificates/signer_rules.h"
#include "controllers/certificates/approval.h"
#include "controllers/certificates/sign.h"
#include "http/net/openssl.h"

namespace proa::controllers {
namespace {

using http::openssl::BioPointer;
using http::openssl::CertificatePointer;
using http::openssl::Freed;
using http::openssl::KeyPointer;

constexpr std::string_view kSigners[] = {
    proa::client::kApiServerClientSigner, proa::client::kKubeletClientSigner,
    proa::client::kKubeletServingSigner, "kubernetes.io/legacy-unknown"};
constexpr std::string_view kUsages[][3] = {
    {"client auth", "digital signature", "key encipherment"},
    {"server auth", "digital signature", "key encipherment"},
};

const http::CertifiedKey& authority() {
  static const http::CertifiedKey kAuthority = [] {
    http::CertificateTemplate wanted;
    wanted.common_name = "fuzz";
    wanted.not_before = Time();
    wanted.not_after = Time(std::chrono::hours(24 * 365 * 200));
    return http::make_authority(wanted).value();
  }();
  return kAuthority;
}

std::string to_pem(std::string_view der) {
  return "-----BEGIN CERTIFICATE REQUEST-----\n" + to_base64(der) +
         "\n-----END CERTIFICATE REQUEST-----\n";
}

// The same request of somebody who has the key: else nearly all would end at their signature.
std::string signed_anew(X509_REQ* request) {
  static const KeyPointer kKey(EVP_EC_gen("P-256"));
  const std::unique_ptr<X509_REQ, Freed<X509_REQ_free>> copy(X509_REQ_dup(request));
  std::string der;
  if (copy != nullptr && X509_REQ_set_pubkey(copy.get(), kKey.get()) == 1 &&
      X509_REQ_sign(copy.get(), kKey.get(), EVP_sha256()) > 0) {
    unsigned char* bytes = nullptr;
    const int size = i2d_X509_REQ(copy.get(), &bytes);
    if (size > 0) der.assign(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
    OPENSSL_free(bytes);
  }
  ERR_clear_error();
  return to_pem(der);
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

void check_certificate(const std::string& pem, const proa::client::CertificateRequest& request) {
  const BioPointer text = http::openssl::reading(pem);
  const CertificatePointer made(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
  CHECK(made != nullptr);
  CHECK(X509_check_ca(made.get()) == 0);
  X509_NAME* name = X509_get_subject_name(made.get());
  size_t organizations = 0;
  for (int i = 0; i < X509_NAME_entry_count(name); ++i) {
    const int id = OBJ_obj2nid(X509_NAME_ENTRY_get_object(X509_NAME_get_entry(name, i)));
    if (id == NID_organizationName) ++organizations;
  }
  CHECK(organizations == request.subject().organizations.size());
  const int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  CHECK((at >= 0) == !request.subject().common_name.empty());
  CHECK(at < 0 || X509_NAME_get_index_by_NID(name, NID_commonName, at) < 0);
}

void run(const std::string& pem, uint8_t choice) {
  const auto request = proa::client::CertificateRequest::parse(pem);
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
  const std::string pem = (data[0] & 1) != 0 ? std::string(text) : to_pem(text);
  run(pem, data[0]);
  const auto request = proa::client::CertificateRequest::parse(pem);
  if (request.ok()) run(signed_anew(request->raw()), data[0]);
  return 0;
}
