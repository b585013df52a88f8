#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/body.h"

namespace proa::apiserver {

// How a subresource updates an object: which fields it takes and what it validates. Also used for
// the object itself, without a subresource.
struct UpdateRules {
  // Turns the client's `object` into the one to store: restores the fields that cannot be changed
  // this way.
  void (*merge)(api::Edit object, api::View old) = nullptr;
  void (*prepare)(api::Edit object, api::View old, const kinds::Writer& writer) = nullptr;
  void (*validate)(api::View object, api::View old, api::FieldErrors& errors) = nullptr;
  bool counts_generation = true;
  // The members that may change, as for decode_touched(); empty: any.
  std::span<const std::string_view> changes = {};
  Managers managers = Managers::kTracked;
};

// Makes the new state from the old one, in the request's version. Called again after a conflict.
using Change = std::function<Result<Body>(const json::Document& old)>;

// Replaces an object with the result of `change`, unless it changed meanwhile; retries on conflict.
// Blocks until durable. REQUIRES: not on a loop thread.
Result<Written> change_object(const ApiContext& context, const Request& request,
                              const WriteOptions& options, const UpdateRules& rules,
                              const Change& change);

// PUT. Creates the object if the resource allows that.
Result<Written> update_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options, const UpdateRules& rules);

// The rules of the object itself, or of its status.
UpdateRules update_rules(const Request& request);

}  // namespace proa::apiserver
