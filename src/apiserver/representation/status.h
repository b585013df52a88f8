#pragma once

#include <string>

#include "base/status.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// A failure as a metav1.Status in JSON.
std::string status_json(const Status& status);
http::Response status_response(const Status& status);
// The same in the encoding of the Accept header.
http::Response status_response(const Status& status, std::string_view accept);

// Encodes the JSON of a metav1.Status as an enveloped protobuf message.
std::string status_protobuf(std::string_view json);

// The response to a deletion: {"status":"Success"} with details.
std::string success_json(const StatusDetails& details);

http::Response json_response(int code, Bytes body);

// 429 of a server that limits its load: plain text, as upstream (tooManyRequests).
http::Response too_many_requests_response();

}  // namespace proa::apiserver
