#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"
#include "client/certificates/request_object.h"

namespace proa::controllers {

// Whether the one who sent a request may create certificatesigningrequests/SUBRESOURCE.
using MayCreate = std::function<Result<bool>(std::string_view subresource)>;
// The SubjectAccessReview that asks for that, as JSON.
std::string review_of(api::View object, std::string_view subresource);

// What is said of a CertificateSigningRequest without a person: kubelets get their client
// certificates, the first one by "nodeclient", and later ones for themselves by "selfnodeclient".
// Nullopt: nothing, it is decided already or for people to decide. kForbidden: it is such a
// request, and the sender may not; that may change. kInvalid: it can't be read.
Result<std::optional<client::RequestCondition>> approval_of(api::View object,
                                                            const MayCreate& may_create);

}  // namespace proa::controllers
