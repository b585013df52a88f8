#pragma once

#include "controllers/framework/claim.h"
#include "controllers/framework/freshness.h"
#include "controllers/workload/deployment/history.h"
#include "controllers/workload/deployment/rolling.h"

namespace proa::controllers::deployments {

// A ReplicaSet to create.
struct NewSet {
  std::string hash;
  int64_t replicas = 0;
  int64_t revision = 1;

  std::string name(const Owner& deployment) const;
};
// `facts`: of the deployment.
json::Document make_set(const Owner& deployment, api::View document, const DeploymentFacts& facts,
                        const NewSet& wanted);

// The Deployment of the written sets. Everything outlives it.
struct Writing {
  const client::Key& key;
  const Owner& deployment;
  api::View document;  // of the deployment
  const DeploymentFacts& facts;
};

// Creates, updates and deletes ReplicaSets and records events on their Deployment.
class SetWriter {
 public:
  // Everything outlives it. `written` records all writes.
  SetWriter(const ControllerContext& context, Freshness& written);

  // The caller reports failures.
  Result<api::ObjectPtr> create(const Writing& of, const NewSet& wanted);
  // Updates annotations and minReadySeconds of the newest set.
  Result<void> follow(const Writing& of, OwnedSet& newest, int64_t revision);
  // Updates only the annotations if the size is the same.
  Result<void> resize(const Writing& of, OwnedSet& set, int64_t replicas);
  Result<void> remove(const Writing& of, const OwnedSet& set);
  // Reads from the server.
  Result<api::ObjectPtr> look(const client::Key& set) const;

 private:
  Result<void> update(const Writing& of, OwnedSet& set, json::Document document);

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
  Freshness& written_;
};

}  // namespace proa::controllers::deployments
