#include "scheduler/plugins/volumes/csi_state.h"

#include <algorithm>

#include "api/object/view.h"
#include "base/strings.h"

namespace proa::scheduler {
namespace csi_state {

using api::View;

CsiNodeFacts read_node(const api::Object& node) {
  CsiNodeFacts facts;
  const Result<json::Document> document = node.document();
  if (!document) return facts;
  const View root = document->root();
  facts.migrated =
      root["metadata"]["annotations"]["storage.alpha.kubernetes.io/migrated-plugins"].text();
  for (const View driver : root["spec"]["drivers"].items()) {
    facts.drivers.push_back({.name = std::string(driver["name"].text()),
                             .limit = driver["allocatable"]["count"].integer(-1)});
  }
  return facts;
}

AttachmentFacts read_attachment(const api::Object& attachment) {
  const Result<json::Document> document = attachment.document();
  if (!document) return {};
  const View spec = View(document->root())["spec"];
  return {.driver = std::string(spec["attacher"].text()),
          .node = api::NodeName(spec["nodeName"].text()),
          .volume = std::string(spec["source"]["persistentVolumeName"].text())};
}

}  // namespace csi_state

int64_t CsiNodeFacts::limit_of(std::string_view driver) const {
  for (const Driver& one : drivers) {
    if (one.name == driver) return one.limit;
  }
  return -1;
}

bool CsiNodeFacts::has_migrated(std::string_view plugin) const {
  const std::vector<std::string_view> names = split(migrated, ',');
  return std::find(names.begin(), names.end(), plugin) != names.end();
}

const CsiNodeFacts& csi_node_facts(const api::Object& node) {
  return node.kept<CsiNodeFacts>([&] { return csi_state::read_node(node); });
}

const AttachmentFacts& attachment_facts(const api::Object& attachment) {
  return attachment.kept<AttachmentFacts>([&] { return csi_state::read_attachment(attachment); });
}

CsiState::CsiState(client::Informers& informers) {
  informers.of("storage.k8s.io", "csinodes")
      .add_handler([known = known_](const client::Change& change) {
        if (change.after != nullptr) {
          known->nodes.insert_or_assign(api::NodeName(change.key.name), change.after);
        } else {
          known->nodes.erase(api::NodeName(change.key.name));
        }
      });
  informers.of("storage.k8s.io", "volumeattachments")
      .add_handler([known = known_](const client::Change& change) { follow(change, *known); });
}

void CsiState::follow(const client::Change& change, Known& known) {
  if (change.before != nullptr) {
    const auto found = known.attachments.find(attachment_facts(*change.before).node);
    if (found != known.attachments.end()) {
      std::erase_if(found->second, [&](const api::ObjectPtr& one) {
        return one->metadata().name == change.key.name;
      });
      if (found->second.empty()) known.attachments.erase(found);
    }
  }
  if (change.after != nullptr) {
    known.attachments[attachment_facts(*change.after).node].push_back(change.after);
  }
}

const CsiNodeFacts* CsiState::node(api::NodeNameView name) const {
  const auto found = known_->nodes.find(name);
  return found == known_->nodes.end() ? nullptr : &csi_node_facts(*found->second);
}

const std::vector<api::ObjectPtr>& CsiState::attachments(api::NodeNameView node) const {
  static const std::vector<api::ObjectPtr> kNone;
  const auto found = known_->attachments.find(node);
  return found == known_->attachments.end() ? kNone : found->second;
}

}  // namespace proa::scheduler
