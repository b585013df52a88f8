#pragma once

#include <optional>
#include <string>

#include "api/object/view.h"
#include "base/clock.h"
#include "base/result.h"
#include "client/certificates/request_object.h"
#include "crypto/certificate.h"

namespace proa::controllers {

// What to write to the status of a request; neither field: nothing.
struct Signed {
  std::string certificate_pem;
  std::optional<client::RequestCondition> condition;  // "Failed": it cannot be signed
};

// Maximum and default lifetime, upstream's --cluster-signing-duration.
inline constexpr Duration kMaxCertificateLifetime = std::chrono::hours(24 * 365);

// Signs a CertificateSigningRequest for the cluster's signers; requests of other signers and those
// that are not approved or already done are left alone. `authority`: the cluster CA. Errors concern
// the request's bytes or the CA, and are not written to the status.
Result<Signed> sign_request(api::View object, const crypto::CertifiedKey& authority,
                            const Clock& clock, Duration longest = kMaxCertificateLifetime);

}  // namespace proa::controllers
