#pragma once

#include <string>

#include "dns/message/reader.h"

namespace proa::dns {

// The data of a record as zone files have it: "10.0.0.1", "0 100 80
// web.default.svc.cluster.local.". Types without a form of their own are as in RFC 3597.
std::string data_text(const Reader& reader, const Record& record);

// A message for people, and for tests: the status with the flags, then a line a record, authority
// and additional records indented. OPT records are flags.
//
//   NOERROR aa rd
//   web.default.svc.cluster.local. 30 A 10.0.0.1
std::string message_text(ByteSpan message);

}  // namespace proa::dns
