#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "api/object/view.h"
#include "api/schema/builtin.h"
#include "client/client.h"
#include "json/print.h"
#include "kubelet/node/server/node_access.h"
#include "testkit/fake_clock.h"

namespace proa::testkit {

// The part of the API that judges callers, for tests: the token "good" is alice's, and one
// subresource of nodes is allowed to all.
class ScriptedReviews final : public client::Client {
 public:
  std::unique_ptr<kubelet::NodeAccess> make_access(const std::string& authority_pem = {}) {
    return kubelet::NodeAccess::make({*this, clock}, api::builtin_schema(), clock, random,
                                     api::NodeName("n1"), authority_pem)
        .value();
  }

  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& /*choices*/, const Until&) override {
    if (broken) return Status(Reason::kServiceUnavailable, "no API");
    const api::View spec = api::View(object.root())["spec"];
    last_ = json::print(object.root());
    if (place.resource->name == "tokenreviews") {
      ++token_reviews_;
      const bool good = spec["token"].text() == "good";
      return api::Object::make(
          good
              ? R"({"status":{"authenticated":true,"user":{"username":"alice","groups":["devs"]}}})"
              : R"({"status":{"user":{}}})");
    }
    ++access_reviews_;
    const bool yes = spec["resourceAttributes"]["subresource"].text() == allowed.c_str();
    return api::Object::make(yes ? R"({"status":{"allowed":true}})"
                                 : R"({"status":{"allowed":false}})");
  }
  int token_reviews() const { return token_reviews_; }
  int access_reviews() const { return access_reviews_; }
  const std::string& last() const { return last_; }

  Result<api::ObjectPtr> get(const client::Place&, const Until&) override { return nothing(); }
  Result<client::ObjectList> list(const client::Place&, const client::ListQuery&,
                                  const Until&) override {
    return nothing();
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place&, const client::WatchQuery&,
                                               const Until&) override {
    return nothing();
  }
  Result<api::ObjectPtr> update(const client::Place&, json::Document, const client::WriteChoices&,
                                const Until&) override {
    return nothing();
  }
  Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, json::Document,
                               const client::WriteChoices&, const Until&) override {
    return nothing();
  }
  Result<void> remove(const client::Place&, const client::RemoveChoices&, const Until&) override {
    return nothing();
  }
  Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                 const client::RemoveChoices&, const Until&) override {
    return nothing();
  }

  FakeClock clock;
  SeededRandom random{1};
  std::string allowed = "proxy";  // changed by tests between requests only
  bool broken = false;

 private:
  static Status nothing() { return Status(Reason::kMethodNotAllowed, "it only judges"); }

  std::string last_;
  std::atomic<int> token_reviews_ = 0;
  std::atomic<int> access_reviews_ = 0;
};

}  // namespace proa::testkit
