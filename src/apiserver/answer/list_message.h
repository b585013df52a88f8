#pragma once

#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/schema/resource.h"
#include "apiserver/answer/media.h"
#include "apiserver/objects/list.h"
#include "base/bytes.h"
#include "base/result.h"

namespace proa::apiserver {

// An object in its envelope, given its bare message.
std::string envelope_of(const api::Type& type, std::string_view message);

// Puts a list together out of the bytes of its items, which are copied once.
class ListMessage {
 public:
  ListMessage(const api::Resource& resource, const Listed& listed, Encoding encoding);

  Result<void> add(const api::Object& item);
  std::string take();

 private:
  void begin_json();
  std::string finish_protobuf();

  const api::Resource& resource_;
  const Listed& listed_;
  const Encoding encoding_;
  // `"kind":"Pod","apiVersion":"v1",`: the items of a list leave it out, as upstream's do.
  std::string item_head_;
  std::string text_;
  std::vector<Bytes> messages_;
};

}  // namespace proa::apiserver
