#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "apiserver/server.h"
#include "base/threads/pool.h"
#include "client/client.h"
#include "controllers/framework/controller_set.h"
#include "crypto/certificate.h"
#include "store/engine/engine.h"
#include "testkit/fake_clock.h"

namespace proa::testkit {

// An API server over a store in memory, and controllers that work when they are told to, on the
// test's own thread: what they do is the same in every run.
class TestWorld {
 public:
  struct Options {
    std::vector<controllers::ControllerEntry> entries = {};
    uint64_t seed = 1;
    // What the flags say; certificates and their keys are the world's own.
    controllers::ControllerOptions flags = {};
    // Puts something between the controllers and the server, if it is there.
    std::function<std::unique_ptr<client::Client>(std::unique_ptr<client::Client>)> between = {};
  };

  // All controllers, or those of these names.
  explicit TestWorld(std::span<const std::string_view> names = {});
  // Exactly these.
  explicit TestWorld(std::vector<controllers::ControllerEntry> entries);
  explicit TestWorld(Options options);
  ~TestWorld();

  // As the administrator. CHECKs that it is done.
  api::ObjectPtr create(std::string_view group, std::string_view resource,
                        std::string_view name_space, std::string json);
  void remove(std::string_view group, std::string_view resource, std::string_view name_space,
              std::string_view name);
  // A merge patch; of "status" too.
  api::ObjectPtr patch(std::string_view group, std::string_view resource,
                       std::string_view name_space, std::string_view name, std::string json,
                       std::string_view subresource = {});
  std::vector<api::ObjectPtr> list(std::string_view group, std::string_view resource,
                                   std::string_view name_space);
  // Null when there is none.
  api::ObjectPtr get(std::string_view group, std::string_view resource, std::string_view name_space,
                     std::string_view name);
  client::Client& client() { return *admin_; }
  // As a controller of that service account; empty: as the controller manager itself.
  std::unique_ptr<client::Client> client_for(std::string_view account);
  std::unique_ptr<client::Client> client_as(apiserver::User user) {
    return api_->client(std::move(user));
  }
  client::Place place(std::string_view group, std::string_view resource,
                      std::string_view name_space, std::string_view name) const;

  // Until the controllers have nothing more to do. How many keys they looked at.
  size_t settle();
  // Time passes: what is due meanwhile is done when it is due.
  void pass(Duration time);
  // Only the clock moves, and what the store does by it is done: controllers find what is due when
  // they are asked next.
  void wait(Duration time);
  // The controllers are killed, and others begin: they know nothing.
  void restart();

  controllers::ControllerSet& controllers() { return *controllers_; }
  FakeClock& clock() { return clock_; }
  const crypto::CertifiedKey& authority() const { return authority_; }

 private:
  void start_controllers();

  const Options options_;
  FakeClock clock_;
  SeededRandom random_;
  std::unique_ptr<store::Engine> store_;
  crypto::CertifiedKey authority_;
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<client::Client> admin_;
  WorkerPool pool_{{.max_threads = 0}};
  std::unique_ptr<controllers::ControllerSet> controllers_;
  store::Revision settled_;  // at which nobody had anything to do
};

}  // namespace proa::testkit
