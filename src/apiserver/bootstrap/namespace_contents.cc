#include "apiserver/bootstrap/namespace_contents.h"

#include "apiserver/bootstrap/batch.h"
#include "apiserver/objects/keys.h"
#include "apiserver/resources/managed/managed.h"
#include "apiserver/resources/write/metadata.h"
#include "base/check.h"
#include "client/root_authority.h"
#include "json/parse.h"

namespace proa::apiserver {

bool NamespaceContents::concerns(const api::Resource& resource) const {
  return resource.name == "namespaces" && resource.group.empty();
}

Result<void> NamespaceContents::on_write(api::Edit object, const Step& step) {
  if (step.old.exists() || step.dry_run) return {};
  const std::string name_space(object["metadata"]["name"].text());
  json::Document account = TRY(json::parse(R"({"metadata":{"name":"default"}})"));
  TRY(add("serviceaccounts", name_space, std::move(account), step.txn));
  if (root_authority_pem_.empty()) return {};
  json::Document authority = TRY(json::parse(client::root_authority_json(root_authority_pem_)));
  return add("configmaps", name_space, std::move(authority), step.txn);
}

Result<void> NamespaceContents::add(std::string_view resource, std::string_view name_space,
                                    json::Document document, store::Txn& txn) const {
  CHECK(context_ != nullptr);
  const api::Resource& kind = *context_->schema.find_resource("", "v1", resource);
  const api::Edit object(document);
  object.set("kind", kind.type->name);
  object.set("apiVersion", kind.group_version());
  object.object("metadata").set("namespace", name_space);
  const Request request = server_request(kind, name_space, object["metadata"]["name"].text());
  std::string key = key_of(kind, name_space, request.name);
  const store::EntryPtr found = TRY(context_->store.get(key));
  if (found != nullptr) return {};  // left over from an earlier namespace of that name
  fill_metadata(object, request, *context_);
  context_->defaulting.apply(object, *kind.type);
  track_managers(*context_, request, {.manager = kControllersManager, .now = context_->clock.now()},
                 nullptr, object);
  StoredText text = TRY(encode_for_store(std::move(document), *kind.type));
  txn.compares.push_back({key, {}});
  txn.operations.push_back(store::Put{.key = std::move(key),
                                      .value = Bytes(std::move(text.json)),
                                      .ttl = {},
                                      .stamp_at = text.stamp_at});
  return {};
}

}  // namespace proa::apiserver
