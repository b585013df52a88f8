#pragma once

#include <string>

#include "base/status.h"
#include "http/wire/message.h"

namespace proa::apiserver {

// A failure as metav1.Status in JSON.
std::string status_json(const Status& status);
http::Response status_response(const Status& status);
// The same in the encoding that the client reads, by its Accept header.
http::Response status_response(const Status& status, std::string_view accept);

// JSON of a metav1.Status as an enveloped protobuf message.
std::string status_protobuf(std::string_view json);

// What a deletion answers: {"status":"Success"} and what it was about.
std::string success_json(const StatusDetails& details);

// A JSON answer.
http::Response json_response(int code, Bytes body);

// `299 - "text"`: how a warning is written in a header, escaped and cut to a bearable length.
std::string warning_header(std::string_view text);

}  // namespace proa::apiserver
