#pragma once

#include "api/typed/decode.h"

namespace proa::kinds {

// Of an endpoint in an EndpointSlice. Where a condition is absent, the endpoint counts as usable.
struct EndpointConditions {
  bool ready = true;
  bool serving = true;
  bool terminating = false;

  static const api::FieldTable& table();
};

}  // namespace proa::kinds
