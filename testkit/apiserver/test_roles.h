#pragma once

#include <string>
#include <string_view>

#include "api/schema/builtin.h"
#include "apiserver/access/authz/policy/policy_text.h"
#include "apiserver/access/authz/rbac/rbac.h"
#include "apiserver/objects/keys.h"
#include "base/strings.h"
#include "json/parse.h"
#include "store/memory/memory_store.h"
#include "testkit/fake_clock.h"

// Roles in a separate store, for tests.

namespace proa::apiserver {

struct TestRoles {
  // In the language of policy_text.h.
  void put(std::string_view policy) {
    const auto objects = parse_policy(policy);
    CHECK(objects.ok());
    for (const PolicyObject& object : *objects) store_document(object.document.copy());
  }
  // One object; its kind selects the resource.
  void put_json(std::string_view json) { store_document(*json::parse(json)); }
  // "roles", "default", "reader"
  void remove(std::string_view resource, std::string_view name_space, std::string_view name) {
    store::Txn txn;
    txn.operations.push_back(store::Delete{key_of(resource_named(resource), name_space, name)});
    CHECK(store->commit(std::move(txn), store::Durability::kLazy).ok());
  }

  // "get pods", "get pods/log of apps named web in default", "get at /healthz"
  Verdict ask(const User& user, std::string_view question) {
    Attributes asked;
    asked.user = &user;
    std::string_view* next = &asked.verb;
    std::string_view what;
    for (const std::string_view word : split(question, ' ')) {
      if (word == "of") {
        next = &asked.group;
      } else if (word == "named") {
        next = &asked.name;
      } else if (word == "in") {
        next = &asked.name_space;
      } else if (word == "at") {
        asked.is_resource = false;
        next = &asked.path;
      } else {
        *next = word;
        next = &what;
      }
    }
    const auto halves = split_once(what, '/');
    asked.resource = halves ? halves->before : what;
    if (halves) asked.subresource = halves->after;
    return rbac.authorize(asked);
  }

  const api::Resource& resource_named(std::string_view name) const {
    return *schema.find_resource("rbac.authorization.k8s.io", "v1", name);
  }

  const api::Schema& schema = api::builtin_schema();
  testkit::FakeClock clock;
  std::unique_ptr<store::Store> store = store::make_memory_store(clock);
  RbacIndex index{*store, schema};
  RbacAuthorizer rbac{index};

 private:
  void store_document(json::Document document) {
    const api::View object = document.root();
    const std::string resource = to_lower(object["kind"].text()) + "s";
    const api::Resource& kind = resource_named(resource);
    const api::View metadata = object["metadata"];
    store::Put put{.key = key_of(kind, metadata["namespace"].text(), metadata["name"].text())};
    StoredText text = *encode_for_store(std::move(document), *kind.type);
    put.value = Bytes(std::move(text.json));
    put.stamp_at = text.stamp_at;
    store::Txn txn;
    txn.operations.push_back(std::move(put));
    CHECK(store->commit(std::move(txn), store::Durability::kLazy).ok());
  }
};

inline User user_named(std::string name, std::vector<std::string> groups = {}) {
  return {.name = std::move(name), .uid = {}, .groups = std::move(groups), .extra = {}};
}

}  // namespace proa::apiserver
