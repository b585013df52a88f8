#pragma once

#include <map>
#include <string>

#include "client/client.h"
#include "testkit/scheduler/test_cluster.h"

namespace proa::testkit {

// The API as a TestCluster has it: everything can be listed and watched, and nothing ever changes.
class ClusterClient final : public client::Client {
 public:
  explicit ClusterClient(const TestCluster& cluster);

  Result<api::ObjectPtr> get(const client::Place& place) override;
  Result<client::ObjectList> list(const client::Place& place,
                                  const client::ListQuery& query) override;
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query) override;
  Result<api::ObjectPtr> create(const client::Place&, std::string,
                                const client::WriteChoices&) override {
    return refused();
  }
  Result<api::ObjectPtr> update(const client::Place&, std::string,
                                const client::WriteChoices&) override {
    return refused();
  }
  Result<api::ObjectPtr> patch(const client::Place&, api::PatchType, std::string,
                               const client::WriteChoices&) override {
    return refused();
  }
  Result<void> remove(const client::Place&, const client::RemoveChoices&) override {
    return refused();
  }
  Result<void> remove_collection(const client::Place&, const client::ListQuery&,
                                 const client::RemoveChoices&) override {
    return refused();
  }

 private:
  static Status refused() { return {Reason::kForbidden, "nothing can be written here"}; }
  const std::vector<api::ObjectPtr>& of(const client::Place& place) const;

  std::map<std::string, std::vector<api::ObjectPtr>> objects_;  // by resource
};

}  // namespace proa::testkit
