"""Talks to the server of $KUBECONFIG as Debian's python3-kubernetes does, and says what is wrong."""

import sys
import time
import traceback

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "python"


def expect(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def fails(status, act):
    try:
        act()
    except ApiException as error:
        expect("status code", error.status, status)
        return error
    raise AssertionError(f"no failure, where {status} was due")


def config_map(name, **labels):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=labels), data={"name": name})


def deployment(name):
    labels = {"app": name}
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=name),
        spec=client.V1DeploymentSpec(
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels),
                spec=client.V1PodSpec(containers=[client.V1Container(name="main", image="busybox")]),
            ),
        ),
    )


def objects(core, apps):
    made = apps.create_namespaced_deployment(NAMESPACE, deployment("web"))
    expect("a default", made.spec.replicas, 1)
    expect("a time", made.metadata.creation_timestamp.year >= 2024, True)
    read = apps.read_namespaced_deployment("web", NAMESPACE)
    expect("the same", read.to_dict(), made.to_dict())
    read.spec.replicas = 2
    expect("generation", apps.replace_namespaced_deployment("web", NAMESPACE, read).metadata.generation, 2)
    conflict = fails(409, lambda: apps.replace_namespaced_deployment("web", NAMESPACE, read))
    expect("reason", '"reason":"Conflict"' in conflict.body, True)
    fails(404, lambda: core.read_namespaced_config_map("nothing", NAMESPACE))
    fails(422, lambda: core.create_namespaced_config_map(NAMESPACE, config_map("Wrong_Name")))
    scale = apps.read_namespaced_deployment_scale("web", NAMESPACE)
    expect("scale", scale.spec.replicas, 2)
    gone = apps.delete_namespaced_deployment("web", NAMESPACE)
    expect("deleted", gone.status, "Success")


def patches(core, apps):
    apps.create_namespaced_deployment(NAMESPACE, deployment("patched"))
    merged = apps.patch_namespaced_deployment(
        "patched",
        NAMESPACE,
        {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "side"}]}}}},
    )
    expect("containers", len(merged.spec.template.spec.containers), 2)
    listed = apps.patch_namespaced_deployment(
        "patched", NAMESPACE, [{"op": "replace", "path": "/spec/replicas", "value": 4}]
    )
    expect("replicas", listed.spec.replicas, 4)
    scaled = apps.patch_namespaced_deployment_scale("patched", NAMESPACE, {"spec": {"replicas": 5}})
    expect("scaled", scaled.spec.replicas, 5)
    status = apps.patch_namespaced_deployment_status("patched", NAMESPACE, {"status": {"replicas": 3}})
    expect("status", status.status.replicas, 3)


def pages(core, apps):
    for i in range(25):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{i:02}", paged="yes"))
    names, token, count = [], None, 0
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="paged", limit=10, _continue=token)
        names += [item.metadata.name for item in page.items]
        token, count = page.metadata._continue, count + 1
        if not token:
            break
    expect("names", names, [f"page-{i:02}" for i in range(25)])
    expect("pages", count, 3)
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="paged")
    expect("left", core.list_namespaced_config_map(NAMESPACE, label_selector="paged").items, [])


def watching(core, apps):
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, config_map("seen"))
    core.patch_namespaced_config_map("seen", NAMESPACE, {"data": {"a": "b"}})
    core.delete_namespaced_config_map("seen", NAMESPACE)
    events, watcher = [], watch.Watch()
    for event in watcher.stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=version, timeout_seconds=20
    ):
        events.append((event["type"], event["object"].metadata.name, event["object"].data))
        if event["type"] == "DELETED":
            watcher.stop()
    expect(
        "events",
        events,
        [
            ("ADDED", "seen", {"name": "seen"}),
            ("MODIFIED", "seen", {"name": "seen", "a": "b"}),
            ("DELETED", "seen", {"name": "seen", "a": "b"}),
        ],
    )
    began = time.monotonic()
    expect("nothing", list(watch.Watch().stream(core.list_namespaced_secret, NAMESPACE, timeout_seconds=1)), [])
    expect("it ends in time", time.monotonic() - began < 10, True)


def without_types(core, apps):
    resources = dynamic.DynamicClient(core.api_client).resources
    maps = resources.get(api_version="v1", kind="ConfigMap")
    maps.create(body={"metadata": {"name": "dynamic"}, "data": {"a": "b"}}, namespace=NAMESPACE)
    expect("read", maps.get(name="dynamic", namespace=NAMESPACE).data.a, "b")
    patched = maps.patch(
        body={"data": {"a": "c"}}, name="dynamic", namespace=NAMESPACE, content_type="application/merge-patch+json"
    )
    expect("patched", patched.data.a, "c")
    maps.delete(name="dynamic", namespace=NAMESPACE)
    utils.create_from_dict(
        core.api_client,
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "made"}, "spec": {"ports": [{"port": 80}]}},
        namespace=NAMESPACE,
    )
    expect("address", core.read_namespaced_service("made", NAMESPACE).spec.cluster_ip.startswith("10."), True)


def every_kind(core, apps):
    """Each answer is a shape that the generated classes take."""
    groups = {
        client.AppsV1Api: ["deployment", "replica_set", "stateful_set", "daemon_set", "controller_revision"],
        client.BatchV1Api: ["job", "cron_job"],
        client.CoreV1Api: ["pod", "service", "endpoints", "event", "secret", "limit_range", "resource_quota"],
        client.NetworkingV1Api: ["ingress", "network_policy"],
        client.RbacAuthorizationV1Api: ["role", "role_binding"],
        client.PolicyV1Api: ["pod_disruption_budget"],
    }
    for api, kinds in groups.items():
        for kind in kinds:
            getattr(api(core.api_client), f"list_{kind}_for_all_namespaces")()
    for kind in ["node", "namespace", "persistent_volume", "component_status"]:
        getattr(core, f"list_{kind}")()
    expect("version", client.VersionApi(core.api_client).get_code().minor, "36")


def main():
    config.load_kube_config()
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    failed = False
    for check in [objects, patches, pages, watching, without_types, every_kind]:
        try:
            check(core, apps)
            print(f"ok   {check.__name__}")
        except Exception:
            failed = True
            print(f"FAIL {check.__name__}: {traceback.format_exc()}")
    sys.exit(1 if failed else 0)


main()
