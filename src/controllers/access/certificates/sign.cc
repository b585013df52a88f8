#include "controllers/access/certificates/sign.h"

#include <algorithm>
#include <limits>

#include "client/certificates/signer_rules.h"
#include "crypto/authority.h"
#include "crypto/certificate_request.h"

namespace proa::controllers {
namespace sign_unit {

using api::View;

// Clocks of verifiers may be behind.
constexpr Duration kBackdate = std::chrono::minutes(5);
// Certificates with a shorter lifetime are not shortened by the backdating.
constexpr Duration kShortLifetime = std::chrono::hours(8);
// Minimum lifetime, whatever was requested.
constexpr Duration kMinLifetime = std::chrono::minutes(10);

struct Validity {
  Time not_before;
  Time not_after;
};

Result<Validity> validity_of(View object, Time now, Time end_of_authority, Duration longest) {
  Duration life = longest;
  if (const View seconds = object["spec"]["expirationSeconds"]; seconds) {
    // 32 bits in the API; more would not fit into a Duration.
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const Duration asked = std::chrono::seconds(std::clamp(seconds.integer(), int64_t{0}, kMost));
    life = asked > longest ? longest : std::max(asked, kMinLifetime);
  }
  const Validity validity{
      now - kBackdate,
      std::min(now + life - (life < kShortLifetime ? Duration(0) : kBackdate), end_of_authority)};
  if (validity.not_before >= end_of_authority) {
    return Status(Reason::kInternalError,
                  "the signer has expired: NotAfter=" + format_time(end_of_authority));
  }
  if (now >= end_of_authority) {
    return Status(Reason::kInternalError,
                  "refusing to sign a certificate that expired in the past: NotAfter=" +
                      format_time(end_of_authority));
  }
  return validity;
}

// Takes only the parsed identity from the request. REQUIRES: the usages were accepted by the
// signer's rules.
crypto::CertificateTemplate make_template(const crypto::CertificateIdentity& identity,
                                          std::span<const std::string_view> usages,
                                          const Validity& validity) {
  const auto has = [&](std::string_view usage) {
    return std::ranges::find(usages, usage) != usages.end();
  };
  crypto::CertificateTemplate wanted{identity};
  wanted.digital_signature = has("digital signature");
  wanted.key_encipherment = has("key encipherment");
  wanted.for_server = has("server auth");
  wanted.for_client = !wanted.for_server;
  wanted.not_before = validity.not_before;
  wanted.not_after = validity.not_after;
  return wanted;
}

Result<std::string> issue(const crypto::CertificateRequest& request,
                          const crypto::CertificateTemplate& wanted,
                          const crypto::Authority& authority) {
  const crypto::PublicKey key = TRY(request.public_key());
  const crypto::Certificate made = TRY(authority.sign(wanted, key));
  return made.pem();
}

}  // namespace sign_unit

Result<Signed> sign_request(api::View object, const crypto::CertifiedKey& authority,
                            const Clock& clock, Duration longest) {
  using namespace sign_unit;
  const client::RequestVerdict verdict = client::request_verdict_of(object);
  const std::string_view signer = object["spec"]["signerName"].text();
  if (!verdict.approved || verdict.denied || verdict.failed || client::has_certificate(object) ||
      !client::is_own_signer(signer)) {
    return Signed{};
  }
  const crypto::CertificateRequest request = TRY(client::request_of(object));
  const std::vector<std::string_view> usages = client::usages_of(object);
  if (const auto fine = client::check_for_signer(signer, request, usages); !fine) {
    return Signed{.condition = client::RequestCondition{.type = "Failed",
                                                        .reason = "SignerValidationFailure",
                                                        .message = fine.status().message()}};
  }
  if (const auto proved = request.check_signature(); !proved) {
    return proved.status().in("unable to verify certificate request signature");
  }
  const Result<crypto::Authority> signing = crypto::Authority::parse(authority);
  if (!signing) return Status(Reason::kInternalError, signing.status().message());
  const Validity validity =
      TRY(validity_of(object, clock.now(), signing->certificate().not_after(), longest));
  Result<std::string> pem =
      issue(request, make_template(request.identity(), usages, validity), *signing);
  if (!pem)
    return Status(Reason::kInternalError, "failed to sign certificate: " + pem.status().message());
  Signed done;
  done.certificate_pem = std::move(*pem);
  return done;
}

}  // namespace proa::controllers
