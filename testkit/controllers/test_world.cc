#include "testkit/controllers/test_world.h"

#include <algorithm>

#include "api/schema/builtin.h"
#include "base/check.h"
#include "controllers/controllers.h"
#include "crypto/authority.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"
#include "testkit/apiserver/running_api.h"

namespace proa::testkit {
namespace test_world {

crypto::CertifiedKey make_authority(Time now) {
  crypto::CertificateTemplate wanted;
  wanted.common_name = "test-authority";
  wanted.not_before = now;
  wanted.not_after = now + std::chrono::hours(24 * 3650);
  return crypto::make_authority(wanted).value();
}

apiserver::User identity_of(std::string_view account) {
  const std::string name = account.empty()
                               ? "system:kube-controller-manager"
                               : "system:serviceaccount:kube-system:" + std::string(account);
  return {.name = name, .uid = {}, .groups = {"system:authenticated"}, .extra = {}};
}

std::vector<controllers::ControllerEntry> entries_of(std::span<const std::string_view> names) {
  std::vector<controllers::ControllerEntry> entries;
  for (const auto table : {controllers::all_controllers(), controllers::api_server_controllers()}) {
    for (const controllers::ControllerEntry& entry : table) {
      const bool wanted = std::find(names.begin(), names.end(), entry.name) != names.end();
      if (names.empty() || wanted) entries.push_back(entry);
    }
  }
  return entries;
}

}  // namespace test_world

TestWorld::TestWorld(std::span<const std::string_view> names)
    : TestWorld(test_world::entries_of(names)) {}

TestWorld::TestWorld(std::vector<controllers::ControllerEntry> entries)
    : TestWorld(Options{.entries = std::move(entries)}) {}

TestWorld::TestWorld(Options options)
    : options_(std::move(options)),
      random_(options_.seed),
      store_(store::make_memory_store(clock_, {.own_thread = false})),
      authority_(test_world::make_authority(clock_.now())) {
  apiserver::AccessOptions access = access_for(authority_);
  access.plugins.disabled.clear();  // controllers remove their finalizers
  api_ =
      apiserver::ApiServer::start(
          *store_, clock_, random_,
          {.access = std::move(access), .version_document = "{}", .advertise_address = "192.0.2.1"})
          .value();
  admin_ = api_->client({.name = "admin", .uid = {}, .groups = {"system:masters"}, .extra = {}});
  start_controllers();
}

TestWorld::~TestWorld() { controllers_.reset(); }

std::unique_ptr<client::Client> TestWorld::client_for(std::string_view account) {
  return api_->client(test_world::identity_of(account));
}

void TestWorld::start_controllers() {
  controllers::ControllerOptions options = options_.flags;
  options.root_authority_pem = authority_.certificate_pem;
  options.signing_certificate_pem = authority_.certificate_pem;
  options.signing_key_pem = authority_.private_key_pem;
  controllers_ = std::make_unique<controllers::ControllerSet>(
      options_.entries,
      controllers::SharedContext{.client_for =
                                     [this](std::string_view account) {
                                       auto client = client_for(account);
                                       return options_.between ? options_.between(std::move(client))
                                                               : std::move(client);
                                     },
                                 .schema = api::builtin_schema(),
                                 .clock = clock_,
                                 .random = random_,
                                 .pool = pool_,
                                 .options = std::move(options)});
}

void TestWorld::restart() {
  settled_ = {};
  controllers_.reset();
  start_controllers();
}

size_t TestWorld::settle() {
  size_t all = 0;
  // The first steps fill the caches. Work of one controller may trigger another: settled once none
  // did anything and nothing was written.
  for (int quiet = 0; quiet < 3;) {
    store_->tick();
    const store::Revision before = store_->revision();
    const size_t worked = controllers_->step();
    all += worked;
    quiet = worked == 0 ? quiet + 1 : 0;
    CHECK(all < 100'000);  // otherwise a livelock
    if (worked > 0) continue;
    if (settled_ == before && store_->revision() == before) {
      if (!pass_moment()) break;
      quiet = 0;
    }
    settled_ = before;
  }
  return all;
}

// Advances the time to work that is due within a moment, if there is any: dependents that wait
// until everybody may have heard of their owner's end.
bool TestWorld::pass_moment() {
  constexpr Duration kMoment = std::chrono::milliseconds(30);
  const Duration wait = controllers_->next_due() - clock_.steady();
  if (wait > kMoment) return false;
  clock_.advance(std::max(wait, Duration::zero()));
  return wait > Duration::zero();
}

void TestWorld::pass(Duration time) {
  const Steady end = clock_.steady() + time;
  settle();
  while (true) {
    const Steady due = controllers_->next_due();
    if (due > end) break;
    if (due > clock_.steady()) clock_.advance(due - clock_.steady());
    settle();
  }
  clock_.advance(end - clock_.steady());
  settle();
}

void TestWorld::wait(Duration time) {
  clock_.advance(time);
  store_->tick();
}

client::Place TestWorld::place(std::string_view group, std::string_view resource,
                               std::string_view name_space, std::string_view name) const {
  return {.resource = api::builtin_schema().find_resource(group, "v1", resource),
          .name_space = std::string(name_space),
          .name = std::string(name),
          .subresource = {}};
}

api::ObjectPtr TestWorld::create(std::string_view group, std::string_view resource,
                                 std::string_view name_space, std::string json) {
  return admin_->create(place(group, resource, name_space, ""), json::parse_literal(json), {}, {})
      .value();
}

void TestWorld::remove(std::string_view group, std::string_view resource,
                       std::string_view name_space, std::string_view name) {
  CHECK(admin_->remove(place(group, resource, name_space, name), {}, {}).ok());
}

api::ObjectPtr TestWorld::patch(std::string_view group, std::string_view resource,
                                std::string_view name_space, std::string_view name,
                                std::string json, std::string_view subresource) {
  client::Place where = place(group, resource, name_space, name);
  where.subresource = subresource;
  return admin_->patch(where, api::PatchType::kMerge, json::parse_literal(json), {}, {}).value();
}

std::vector<api::ObjectPtr> TestWorld::list(std::string_view group, std::string_view resource,
                                            std::string_view name_space) {
  return admin_->list(place(group, resource, name_space, ""), {}, {}).value().items;
}

api::ObjectPtr TestWorld::get(std::string_view group, std::string_view resource,
                              std::string_view name_space, std::string_view name) {
  Result<api::ObjectPtr> found = admin_->get(place(group, resource, name_space, name), {});
  if (found.is(Reason::kNotFound)) return nullptr;
  return found.value();
}

}  // namespace proa::testkit
