#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/result.h"
#include "client/certificates/request_object.h"

namespace proa::controllers {

// Whether the requester may create certificatesigningrequests/SUBRESOURCE.
using MayCreate = std::function<Result<bool>(std::string_view subresource)>;
// The SubjectAccessReview for that check, as JSON.
std::string review_of(api::View object, std::string_view subresource);

// Automatic approval of kubelet client certificates: the first one as "nodeclient", renewals as
// "selfnodeclient". Nullopt: already decided, or not such a request. kForbidden: such a request,
// but the requester lacks permission, which may change. kInvalid: cannot be parsed.
Result<std::optional<client::RequestCondition>> approval_of(api::View object,
                                                            const MayCreate& may_create);

}  // namespace proa::controllers
