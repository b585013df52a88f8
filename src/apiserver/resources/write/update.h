#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "apiserver/resources/call/context.h"
#include "apiserver/resources/write/body.h"

namespace proa::apiserver {

// How a subresource changes an object: what it takes from the client, and what it checks. The
// object itself is the one without a subresource.
struct UpdateRules {
  // Makes `object`, as the client wants it, into what shall be stored: puts back what can't be
  // changed this way.
  void (*merge)(api::Edit object, api::View old) = nullptr;
  void (*prepare)(api::Edit object, api::View old, const kinds::Writer& writer) = nullptr;
  void (*validate)(api::View object, api::View old, api::FieldErrors& errors) = nullptr;
  bool counts_generation = true;
  // What it changes at most, as decode_touched() takes it; empty: anything.
  std::span<const std::string_view> changes = {};
};

// The new state, made out of the old one; in the form of the request's version, defaulted. Called
// again when somebody else was faster.
using Change = std::function<Result<Body>(const json::Document& old)>;

// Replaces an object by what `change` makes of it, if it is still what `change` has seen. Blocks
// until that is durable. Not on a loop's thread.
Result<Written> change_object(const ApiContext& context, const Request& request,
                              const WriteOptions& options, const UpdateRules& rules,
                              const Change& change);

// PUT. Creates the object where the resource allows that.
Result<Written> update_object(const ApiContext& context, const Request& request, Body body,
                              const WriteOptions& options, const UpdateRules& rules);

// The rules of the object itself, or of its status.
UpdateRules update_rules(const Request& request);

}  // namespace proa::apiserver
