#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/object/object.h"
#include "apiserver/objects/list.h"
#include "apiserver/request/options.h"
#include "apiserver/request/request.h"
#include "apiserver/resources/call/payload.h"
#include "base/check.h"

namespace proa::apiserver {

// A complete request, parsed and typed. Built by the HTTP front end and by the in-process client;
// run by execute().
struct Call {
  Request request;
  Options options;
  Payload payload = {};

  // The options of the verb. REQUIRES: get.
  const GetOptions& get() const { return of<GetOptions>(); }
  // REQUIRES: list, watch or deletecollection.
  const ListOptions& list() const {
    const auto* collection = std::get_if<DeleteCollectionOptions>(&options);
    return collection != nullptr ? collection->select : of<ListOptions>();
  }
  // REQUIRES: create, update or patch.
  const WriteOptions& write() const { return of<WriteOptions>(); }
  // REQUIRES: delete or deletecollection.
  const DeleteOptions& remove() const {
    const auto* collection = std::get_if<DeleteCollectionOptions>(&options);
    return collection != nullptr ? collection->remove : of<DeleteOptions>();
  }

 private:
  template <typename T>
  const T& of() const {
    const T* found = std::get_if<T>(&options);
    CHECK(found != nullptr);
    return *found;
  }
};

// The result: an object in its stored version, a list, or another document.
struct Answer {
  int code = 200;
  api::ObjectPtr object;       // null: `list` or `json` is set
  std::optional<Listed> list;  // of objects of the resource
  // A document of a type other than the resource's: a Scale, a Status.
  std::string json;
  const api::Type* type = nullptr;  // of `json`
};

}  // namespace proa::apiserver
