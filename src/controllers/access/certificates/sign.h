#pragma once

#include <optional>
#include <string>

#include "api/object/view.h"
#include "base/clock.h"
#include "base/result.h"
#include "client/certificates/request_object.h"
#include "crypto/certificate.h"

namespace proa::controllers {

// What is to be written to the status of a request; neither: nothing.
struct Signed {
  std::string certificate_pem;
  std::optional<client::RequestCondition> condition;  // "Failed": nobody will ever sign it
};

// How long certificates are good for where the request does not ask for less, as upstream's
// --cluster-signing-duration.
inline constexpr Duration kLongestCertificate = std::chrono::hours(24 * 365);

// What the signers of the cluster do with a CertificateSigningRequest: those for others, and those
// that are not approved or done, are left alone. `authority` is the one that clients trust. A
// failure is of the request's bytes or of the authority, and not written anywhere.
Result<Signed> sign_request(api::View object, const crypto::CertifiedKey& authority,
                            const Clock& clock, Duration longest = kLongestCertificate);

}  // namespace proa::controllers
