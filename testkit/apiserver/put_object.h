#pragma once

#include <string_view>

#include "api/object/view.h"
#include "api/schema/schema.h"
#include "apiserver/objects/keys.h"
#include "base/check.h"
#include "json/parse.h"
#include "store/store.h"

namespace proa::testkit {

// Writes an object to a store as is: no defaulting, no access control.
inline void put_object(store::Store& store, const api::Resource& kind, std::string_view json) {
  json::Document document = json::parse(json).value();
  const api::View metadata = api::View(document.root())["metadata"];
  store::Put put{
      .key = apiserver::key_of(kind, metadata["namespace"].text(), metadata["name"].text())};
  apiserver::StoredText text = apiserver::encode_for_store(std::move(document), *kind.type).value();
  put.value = Bytes(std::move(text.json));
  put.stamp_at = text.stamp_at;
  store::Txn txn;
  txn.operations.push_back(std::move(put));
  CHECK(store.commit(std::move(txn), store::Durability::kLazy).ok());
}

// Of the core group.
inline void put_object(store::Store& store, const api::Schema& schema, std::string_view resource,
                       std::string_view json) {
  put_object(store, *schema.find_resource("", "v1", resource), json);
}

}  // namespace proa::testkit
