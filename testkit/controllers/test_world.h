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

// An API server over an in-memory store, and controllers that run on the test's thread on request:
// deterministic.
class TestWorld {
 public:
  struct Options {
    std::vector<controllers::ControllerEntry> entries = {};
    uint64_t seed = 1;
    // The flags; certificates and keys are the world's own.
    controllers::ControllerOptions flags = {};
    // Wraps the controllers' client, if set.
    std::function<std::unique_ptr<client::Client>(std::unique_ptr<client::Client>)> between = {};
  };

  // All controllers, or those of these names.
  explicit TestWorld(std::span<const std::string_view> names = {});
  // Exactly these.
  explicit TestWorld(std::vector<controllers::ControllerEntry> entries);
  explicit TestWorld(Options options);
  ~TestWorld();

  // As the administrator. CHECKs success.
  api::ObjectPtr create(std::string_view group, std::string_view resource,
                        std::string_view name_space, std::string json);
  void remove(std::string_view group, std::string_view resource, std::string_view name_space,
              std::string_view name);
  // A merge patch, also of "status".
  api::ObjectPtr patch(std::string_view group, std::string_view resource,
                       std::string_view name_space, std::string_view name, std::string json,
                       std::string_view subresource = {});
  std::vector<api::ObjectPtr> list(std::string_view group, std::string_view resource,
                                   std::string_view name_space);
  // Null if there is none.
  api::ObjectPtr get(std::string_view group, std::string_view resource, std::string_view name_space,
                     std::string_view name);
  client::Client& client() { return *admin_; }
  // As a controller of that service account; empty: as the controller manager.
  std::unique_ptr<client::Client> client_for(std::string_view account);
  std::unique_ptr<client::Client> client_as(apiserver::User user) {
    return api_->client(std::move(user));
  }
  client::Place place(std::string_view group, std::string_view resource,
                      std::string_view name_space, std::string_view name) const;

  // Runs the controllers until they have no work left, now or within a moment. Returns the number
  // of reconciled keys.
  size_t settle();
  // Advances the time; due work runs at its time.
  void pass(Duration time);
  // Only advances the clock and runs the store's timers: controllers find due work at their next
  // run.
  void wait(Duration time);
  // Kills the controllers and starts new ones without state.
  void restart();

  controllers::ControllerSet& controllers() { return *controllers_; }
  FakeClock& clock() { return clock_; }
  const crypto::CertifiedKey& authority() const { return authority_; }

 private:
  void start_controllers();
  bool pass_moment();

  const Options options_;
  FakeClock clock_;
  SeededRandom random_;
  std::unique_ptr<store::Engine> store_;
  crypto::CertifiedKey authority_;
  std::unique_ptr<apiserver::ApiServer> api_;
  std::unique_ptr<client::Client> admin_;
  WorkerPool pool_{{.max_threads = 0}};
  std::unique_ptr<controllers::ControllerSet> controllers_;
  store::Revision settled_;  // at which there was no work left
};

}  // namespace proa::testkit
