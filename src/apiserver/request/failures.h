#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/status.h"
#include "base/threads/deadline.h"

// Failures shared by several stages of a request, as upstream.

namespace proa::apiserver {

// 404: unknown path, resource or subresource.
Status no_such_resource();
// 405: the resource does not support this verb.
Status method_not_allowed();
// 406: none of the media types that the path produces is accepted.
Status not_acceptable(std::span<const std::string_view> produced);
// 415: the path does not take this media type.
Status unsupported_media_type();
// 500 in the words of upstream's NewInternalError, which repeats the cause in the details.
Status internal_error(const std::string& why);
// What a client says of an answer with an error that is no Status: client-go's
// NewGenericServerResponse, without the resource. `body`: what the server said.
Status remote_failure(int code, const std::string& body);
// 504 if the client has gone or its time is up.
Result<void> check_time(const Until& until, const Clock& clock);

}  // namespace proa::apiserver
