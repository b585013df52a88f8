#pragma once

#include <string_view>

#include "api/object/edit.h"
#include "api/object/view.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::kinds {

// The object in the version `to` of its kind. `fill` sets the fields other than kind, apiVersion
// and metadata; what it sets is decoded as a client's object would be, and fails like one.
Result<json::Document> convert_with(void (*fill)(api::View object, api::Edit converted),
                                    const json::Document& object, std::string_view to,
                                    std::string_view kind);

}  // namespace proa::kinds
