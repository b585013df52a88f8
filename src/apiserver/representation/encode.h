#pragma once

#include <string>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "apiserver/objects/list.h"
#include "apiserver/objects/watch_cursor.h"
#include "apiserver/representation/media.h"
#include "apiserver/representation/table/table.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/result.h"

namespace proa::apiserver {

// How objects of a resource are written for a client: as it asked for them.
struct Encoder {
  const api::Resource* resource;
  Media media;
  IncludeObject include = IncludeObject::kMetadata;  // with rows of tables
  const Clock* clock;

  // JSON of a stored object is handed out as it lies there.
  Result<Bytes> object(const api::ObjectPtr& object) const;
  Result<Bytes> list(const Listed& listed) const;
  // Of another type, which there is in one form only.
  Result<Bytes> document(std::string_view json, const api::Type& type) const;
  // One event of a watch, framed; `first` of this watch.
  Result<Bytes> event(const WatchEvent& event, bool first) const;
  // The end of a watch that failed.
  Bytes error_event(const Status& status) const;

 private:
  Result<Bytes> bookmark(const WatchEvent& event) const;
  Result<std::string> event_object(const api::Object& object, bool first) const;
  Result<std::string> table_list(const Listed& listed) const;
  Result<std::string> partial_list(const Listed& listed) const;
  Table::Options table_options(bool first) const;
  Bytes frame(std::string_view type, std::string_view object) const;
};

}  // namespace proa::apiserver
