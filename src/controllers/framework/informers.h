#pragma once

#include <memory>

#include "client/informer/informers.h"

namespace proa::controllers {

class CustomInformers;
class CustomResources;

std::string orphans_of(std::string_view name_space);

// The shared informers of all controllers, with common indexes, and those of custom resources.
class Informers : public client::Informers {
 public:
  // REQUIRES: all arguments outlive it; `client` may read everything.
  Informers(client::Client& client, const api::Schema& schema, Clock& clock, Random& random);
  ~Informers();

  // With the index "controller": the uid of the controlling owner, or orphans_of() the namespace
  // for objects without one.
  client::Informer& by_controller(std::string_view group, std::string_view resource);

  // What custom resources there are; its cache is one of the shared ones. REQUIRES: as of().
  CustomResources& custom();
  // The objects of all custom resources.
  CustomInformers& custom_objects();

  // As in the base class. The objects of custom resources have a thread of their own, and nobody
  // waits for them in synced().
  void join(Poller& poller, Poller& custom_poller);
  void poll();
  void poll_some(Random& random);

 private:
  void poll_custom();

  client::Client& client_;
  const api::Schema& schema_;
  Clock& clock_;
  Random& random_;
  std::unique_ptr<CustomResources> custom_;
  std::unique_ptr<CustomInformers> custom_objects_;
  client::Turn custom_turn_;
};

}  // namespace proa::controllers
