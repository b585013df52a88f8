#pragma once

#include "client/informer/informers.h"

namespace proa::controllers {

std::string orphans_of(std::string_view name_space);

// The caches that controllers share, and the indexes that several of them ask.
class Informers : public client::Informers {
 public:
  using client::Informers::Informers;

  // Found under "controller": by the uid of the controller in its ownerReferences, or, without one,
  // by orphans_of() its namespace.
  client::Informer& by_controller(std::string_view group, std::string_view resource);
};

}  // namespace proa::controllers
