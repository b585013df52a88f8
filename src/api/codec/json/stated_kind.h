#pragma once

#include <string>

#include "base/result.h"
#include "json/value.h"

namespace proa::api {

// kind and apiVersion as a document states them; absent ones are empty.
struct StatedKind {
  std::string api_version;
  std::string kind;

  // The parts of apiVersion: "apps" and "v1".
  std::string_view group() const;
  std::string_view version() const;
};

// Read before anything else, as upstream's serializer does. Fails with kBadRequest, in its words,
// if the document is not an object, if they are not texts, or if apiVersion has too many parts.
Result<StatedKind> stated_kind(const json::Value& document);
// The beginning of upstream's message for documents whose kind cannot be read.
Status unreadable_kind(const Status& why);

}  // namespace proa::api
