#pragma once

#include "controllers/framework/claim.h"
#include "controllers/framework/freshness.h"
#include "controllers/workload/deployment/history.h"
#include "controllers/workload/deployment/rolling.h"

namespace proa::controllers::deployments {

// A ReplicaSet that is to be made of a deployment.
struct NewSet {
  std::string hash;
  int64_t replicas = 0;
  int64_t revision = 1;

  std::string name(const Owner& deployment) const;
};
// `facts`: of that deployment.
json::Document make_set(const Owner& deployment, api::View document, const DeploymentFacts& facts,
                        const NewSet& wanted);

// A deployment whose sets are written. Everything outlives it.
struct Writing {
  const client::Key& key;
  const Owner& deployment;
  api::View document;  // of the deployment
  const DeploymentFacts& facts;
};

// Makes, changes and removes the ReplicaSets of deployments, and tells people so by events about
// the deployment.
class SetWriter {
 public:
  // Everything outlives it. `written` hears of all that is written.
  SetWriter(const ControllerContext& context, Freshness& written);

  // Failures are told by the caller, who knows what they mean.
  Result<api::ObjectPtr> create(const Writing& of, const NewSet& wanted);
  // What the deployment says about the newest set but for its size.
  Result<void> follow(const Writing& of, OwnedSet& newest, int64_t revision);
  // A set that has the size is only told the deployment's numbers.
  Result<void> resize(const Writing& of, OwnedSet& set, int64_t replicas);
  Result<void> remove(const Writing& of, const OwnedSet& set);
  // As it is now, whatever caches say.
  Result<api::ObjectPtr> look(const client::Key& set) const;

 private:
  Result<void> update(const Writing& of, OwnedSet& set, json::Document document);

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
  Freshness& written_;
};

}  // namespace proa::controllers::deployments
