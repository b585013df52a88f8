#include "policy/sources.h"

#include <utility>

#include "base/check.h"

namespace proa::policy {
namespace sources {

client::Selector all_of(const api::Schema& schema, std::string_view group, std::string_view name) {
  const api::Resource* resource = schema.find_resource(group, "v1", name);
  CHECK(resource != nullptr);
  return {.place = {.resource = resource, .name_space = {}, .name = {}, .subresource = {}},
          .labels = {},
          .fields = {}};
}

}  // namespace sources

Sources::Sources(Context context)
    : context_(std::move(context)),
      policies_(context_.client, context_.clock, context_.random,
                sources::all_of(context_.schema, "networking.k8s.io", "networkpolicies")),
      namespaces_(context_.client, context_.clock, context_.random,
                  sources::all_of(context_.schema, "", "namespaces")),
      pods_(context_.client, context_.clock, context_.random,
            sources::all_of(context_.schema, "", "pods")),
      followed_{client::Followed(policies_, context_.wake),
                client::Followed(namespaces_, context_.wake),
                client::Followed(pods_, context_.wake)} {
  policies_.add_handler([this](const client::Change& one) { changed(&News::policies, one); });
  namespaces_.add_handler([this](const client::Change& one) { changed(&News::namespaces, one); });
  pods_.add_handler([this](const client::Change& one) { changed(&News::pods, one); });
}

void Sources::join(Poller& poller) {
  for (client::Followed& followed : followed_) poller.add(followed);
}

void Sources::poll() {
  for (client::Followed& followed : followed_) followed.poll();
}

bool Sources::synced() const {
  return policies_.synced() && namespaces_.synced() && pods_.synced();
}

Sources::News Sources::take() {
  MutexLock lock(mutex_);
  return std::exchange(news_, {});
}

void Sources::changed(std::set<client::Key> News::*which, const client::Change& change) {
  {
    MutexLock lock(mutex_);
    (news_.*which).insert(change.key);
  }
  context_.wake();
}

}  // namespace proa::policy
