#pragma once

#include "client/informer/informers.h"

namespace proa::controllers {

std::string orphans_of(std::string_view name_space);

// The shared informers of all controllers, with common indexes.
class Informers : public client::Informers {
 public:
  using client::Informers::Informers;

  // With the index "controller": the uid of the controlling owner, or orphans_of() the namespace
  // for objects without one.
  client::Informer& by_controller(std::string_view group, std::string_view resource);
};

}  // namespace proa::controllers
