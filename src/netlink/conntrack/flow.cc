#include "netlink/conntrack/flow.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace proa::netlink {
namespace flow {

// Which parts of a tuple a list is filtered by. Not in the headers for user space; part of the
// kernel's interface nevertheless (net/netfilter/nf_internals.h).
constexpr uint32_t kByDestination = 1U << 1;
constexpr uint32_t kBySource = 1U << 0;
constexpr uint32_t kByProtocol = 1U << 3;
constexpr uint32_t kBySourcePort = 1U << 4;
constexpr uint32_t kByDestinationPort = 1U << 5;

uint16_t type_of(uint16_t message) {
  return static_cast<uint16_t>(NFNL_SUBSYS_CTNETLINK << 8 | message);
}

nfgenmsg header_of(bool v6) {
  return {.nfgen_family = static_cast<uint8_t>(v6 ? AF_INET6 : AF_INET),
          .version = NFNETLINK_V0,
          .res_id = 0};
}

std::optional<FlowTuple> tuple_of(const Attributes& attributes, uint8_t& protocol) {
  const Attributes ip = attributes.find(CTA_TUPLE_IP).nested();
  const Attributes proto = attributes.find(CTA_TUPLE_PROTO).nested();
  auto source = ip.find(CTA_IP_V4_SRC).address();
  auto destination = ip.find(CTA_IP_V4_DST).address();
  if (!source) source = ip.find(CTA_IP_V6_SRC).address();
  if (!destination) destination = ip.find(CTA_IP_V6_DST).address();
  const auto number = proto.find(CTA_PROTO_NUM).as<uint8_t>();
  if (!source || !destination || !number) return std::nullopt;
  protocol = *number;
  const auto port = [&](uint16_t type) {
    return static_cast<uint16_t>(proto.find(type).network_number().value_or(0));
  };
  return FlowTuple{*source, *destination, port(CTA_PROTO_SRC_PORT), port(CTA_PROTO_DST_PORT)};
}

// The parts of a tuple that a filter names.
struct Part {
  std::optional<IpAddress> source = {};
  std::optional<IpAddress> destination = {};
  std::optional<uint16_t> source_port = {};
  std::optional<uint16_t> destination_port = {};
};

// Returns the flags for the kernel; 0: nothing was written.
uint32_t write_part(Batch& batch, uint16_t type, bool v6, std::optional<uint8_t> protocol,
                    const Part& part) {
  uint32_t flags = 0;
  if (part.source) flags |= kBySource;
  if (part.destination) flags |= kByDestination;
  // Ports are of a protocol.
  if (protocol) flags |= kByProtocol;
  if (protocol && part.source_port) flags |= kBySourcePort;
  if (protocol && part.destination_port) flags |= kByDestinationPort;
  if (flags == 0) return 0;
  const Batch::Nest tuple = batch.nest(type);
  if (part.source || part.destination) {
    const Batch::Nest ip = batch.nest(CTA_TUPLE_IP);
    if (part.source) batch.address(v6 ? CTA_IP_V6_SRC : CTA_IP_V4_SRC, *part.source);
    if (part.destination) batch.address(v6 ? CTA_IP_V6_DST : CTA_IP_V4_DST, *part.destination);
  }
  if (protocol) {
    const Batch::Nest proto = batch.nest(CTA_TUPLE_PROTO);
    batch.number(CTA_PROTO_NUM, *protocol);
    if (part.source_port) batch.network16(CTA_PROTO_SRC_PORT, *part.source_port);
    if (part.destination_port) batch.network16(CTA_PROTO_DST_PORT, *part.destination_port);
  }
  return flags;
}

}  // namespace flow

bool FlowFilter::matches(const Flow& flow) const {
  return (!protocol || *protocol == flow.protocol) &&
         (!original_destination || *original_destination == flow.original.destination) &&
         (!original_port || *original_port == flow.original.destination_port) &&
         (!reply_source || *reply_source == flow.reply.source) &&
         (!reply_port || *reply_port == flow.reply.source_port);
}

std::optional<Flow> read_flow(const Message& message) {
  if (message.header.nlmsg_type != flow::type_of(IPCTNL_MSG_CT_NEW)) return std::nullopt;
  const Attributes attributes = message.attributes<nfgenmsg>();
  Flow found;
  const auto original = flow::tuple_of(attributes.find(CTA_TUPLE_ORIG).nested(), found.protocol);
  const auto reply = flow::tuple_of(attributes.find(CTA_TUPLE_REPLY).nested(), found.protocol);
  if (!original || !reply) return std::nullopt;
  found.original = *original;
  found.reply = *reply;
  found.id = static_cast<uint32_t>(attributes.find(CTA_ID).network_number().value_or(0));
  found.zone = static_cast<uint16_t>(attributes.find(CTA_ZONE).network_number().value_or(0));
  return found;
}

void ask_for_flows(Batch& batch, bool v6, const FlowFilter& wanted) {
  FlowFilter filter = wanted;
  // Kernels leave out exactly the flows with an IPv6 address that is asked for
  // (ctnetlink_filter_match_tuple takes the result of a comparison the wrong way round).
  if (v6) filter.original_destination = filter.reply_source = std::nullopt;
  batch.begin(flow::type_of(IPCTNL_MSG_CT_GET), 0, flow::header_of(v6));
  const uint32_t original = flow::write_part(
      batch, CTA_TUPLE_ORIG, v6, filter.protocol,
      {.destination = filter.original_destination, .destination_port = filter.original_port});
  const uint32_t reply =
      flow::write_part(batch, CTA_TUPLE_REPLY, v6, filter.protocol,
                       {.source = filter.reply_source, .source_port = filter.reply_port});
  if (original == 0 && reply == 0) return;
  const Batch::Nest flags = batch.nest(CTA_FILTER);
  batch.number(CTA_FILTER_ORIG_FLAGS, original);
  batch.number(CTA_FILTER_REPLY_FLAGS, reply);
}

void remove_flow(Batch& batch, const Flow& flow) {
  const bool v6 = !flow.original.source.is_v4();
  batch.begin(flow::type_of(IPCTNL_MSG_CT_DELETE), 0, flow::header_of(v6));
  flow::write_part(batch, CTA_TUPLE_ORIG, v6, flow.protocol,
                   {.source = flow.original.source,
                    .destination = flow.original.destination,
                    .source_port = flow.original.source_port,
                    .destination_port = flow.original.destination_port});
  if (flow.zone != 0) batch.network16(CTA_ZONE, flow.zone);
  batch.network32(CTA_ID, flow.id);
}

}  // namespace proa::netlink
