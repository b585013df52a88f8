#pragma once

#include <string_view>

#include "api/structure/format.h"

namespace proa::custom {

// Whether a text has a format, as kube-openapi's strfmt decides it. Formats of numbers, and kNone,
// have all texts.
bool has_format(api::Format format, std::string_view text);

// An address as Go's net/mail.ParseAddress reads it: with or without a display name.
bool is_email(std::string_view text);
// As Go's net/url.ParseRequestURI reads it: an absolute URI, or an absolute path.
bool is_request_uri(std::string_view text);

}  // namespace proa::custom
