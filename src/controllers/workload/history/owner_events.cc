#include "controllers/workload/history/owner_events.h"

#include <optional>

namespace proa::controllers {
namespace owner_events {

using api::Metadata;
using client::Key;

const Metadata::Owner* controller_of(const api::ObjectPtr& object) {
  if (object == nullptr) return nullptr;
  for (const Metadata::Owner& owner : object->metadata().owners) {
    if (owner.controller) return &owner;
  }
  return nullptr;
}

bool same(const Metadata::Owner* a, const Metadata::Owner* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->uid == b->uid;
}

struct Selector {
  std::optional<api::LabelSelector> read;
};

void add_adopters(const api::Object& orphan, const client::Informer& owners,
                  client::WorkQueue& queue) {
  for (const api::ObjectPtr& owner : owners.cache().list(orphan.metadata().name_space)) {
    const api::LabelSelector* selector = selector_of(*owner);
    if (selector != nullptr && selector->matches(orphan.metadata().labels)) {
      queue.add(Key::of(*owner));
    }
  }
}

}  // namespace owner_events

const api::LabelSelector* selector_of(const api::Object& owner) {
  using owner_events::Selector;
  const Selector& kept = owner.kept<Selector>([&] {
    Selector selector;
    const Result<json::Document> document = owner.document();
    if (!document) return selector;
    Result<api::LabelSelector> read =
        api::LabelSelector::from(api::View(document->root())["spec"]["selector"]);
    if (read) selector.read = std::move(*read);
    return selector;
  });
  return kept.read ? &*kept.read : nullptr;
}

void listen_for_owned(client::Informer& objects, const client::Informer& owners,
                      std::string_view kind, client::WorkQueue& queue) {
  objects.add_handler([&owners, &queue, kind](const client::Change& change) {
    const api::Metadata::Owner* before = owner_events::controller_of(change.before);
    const api::Metadata::Owner* after = owner_events::controller_of(change.after);
    const bool turned = !owner_events::same(before, after);
    if (before != nullptr && turned && before->kind == kind) {
      queue.add({change.key.name_space, std::string(before->name)});
    }
    if (after != nullptr) {
      if (after->kind == kind) queue.add({change.key.name_space, std::string(after->name)});
      return;
    }
    if (change.after == nullptr) return;
    const bool relabelled = change.before == nullptr ||
                            change.before->metadata().labels != change.after->metadata().labels;
    if (turned || relabelled) owner_events::add_adopters(*change.after, owners, queue);
  });
}

}  // namespace proa::controllers
