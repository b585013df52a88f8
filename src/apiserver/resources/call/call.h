#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/object.h"
#include "apiserver/objects/list.h"
#include "base/bytes.h"
#include "http/wire/url.h"

namespace proa::apiserver {

// What came with a request that changes something.
struct Incoming {
  std::string content_type;
  Bytes body;
  const http::Target& target;
};

// What is to be answered: an object in the form in which it is stored, or text of its own.
struct Outgoing {
  int code = 200;
  api::ObjectPtr object;       // null: see below
  std::optional<Listed> list;  // of objects of the resource
  // A document of another type than the resource's: a Scale, a Status.
  std::string json;
  const api::Type* type = nullptr;  // of `json`
  std::vector<std::string> warnings;
};

}  // namespace proa::apiserver
