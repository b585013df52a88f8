"""Drives what the Python client offers beyond plain requests. Prints "ok NAME" or "FAIL NAME: reason" for each."""

import asyncio
import threading
import time
import traceback

import yaml
from kubernetes import client, config, dynamic, informer, utils, watch
from kubernetes.aio import client as aio_client
from kubernetes.aio import config as aio_config
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock

SPACE = "python-features"
GROUP = "python.example.invalid"
DOCUMENTS = """
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list]}]
"""


def expect(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def eventually(what, holds, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}")


def config_map(name, value="1"):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels={"suite": name}), data={"value": value})


def create_from_yaml(api):
    objects = list(yaml.safe_load_all(DOCUMENTS))
    utils.create_from_yaml(api, yaml_objects=objects, namespace=SPACE)
    expect("replicas", client.AppsV1Api(api).read_namespaced_deployment("web", SPACE).spec.replicas, 1)
    try:
        utils.create_from_yaml(api, yaml_objects=objects, namespace=SPACE)
        raise AssertionError("creating again does not fail")
    except utils.FailToCreateError as error:
        expect("conflicts", [one.status for one in error.api_exceptions], [409] * len(error.api_exceptions))
    utils.create_from_yaml(api, yaml_objects=objects[1:], namespace=SPACE, apply=True)
    managers = client.AppsV1Api(api).read_namespaced_deployment("web", SPACE).metadata.managed_fields
    expect("applied", any(one.manager == "python-client" and one.operation == "Apply" for one in managers), True)


def custom_objects(api):
    definitions, custom = client.ApiextensionsV1Api(api), client.CustomObjectsApi(api)
    schema = {"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"size": {"type": "integer", "maximum": 5}, "replicas": {"type": "integer"}}},
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}}}}
    definitions.create_custom_resource_definition({
        "metadata": {"name": "things." + GROUP}, "spec": {
            "group": GROUP, "scope": "Namespaced", "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}, "subresources": {
                "status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}}}]}})
    eventually("the definition is established", lambda: any(
        one.type == "Established" and one.status == "True"
        for one in definitions.read_custom_resource_definition("things." + GROUP).status.conditions or []))
    where = (GROUP, "v1", SPACE, "things")
    custom.create_namespaced_custom_object(*where, {"apiVersion": GROUP + "/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"size": 1, "replicas": 2}})
    changed = custom.patch_namespaced_custom_object(*where, "a", {"spec": {"size": 3}})
    expect("generation", changed["metadata"]["generation"], 2)
    custom.patch_namespaced_custom_object_status(*where, "a", {"status": {"replicas": 2}})
    expect("scale", custom.get_namespaced_custom_object_scale(*where, "a")["status"]["replicas"], 2)
    try:
        custom.patch_namespaced_custom_object(*where, "a", {"spec": {"size": 9}})
        raise AssertionError("the schema does not hold")
    except ApiException as error:
        expect("code", error.status, 422)
    expect("list", len(custom.list_cluster_custom_object(GROUP, "v1", "things")["items"]), 1)
    custom.delete_collection_namespaced_custom_object(*where)
    expect("list", custom.list_namespaced_custom_object(*where)["items"], [])


def dynamic_client(api):
    maps = dynamic.DynamicClient(api).resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "dynamic", "labels": {"suite": "dynamic"}}, "data": {"a": "b"}}
    made = maps.create(body=body, namespace=SPACE)
    heard = []
    for event in maps.watch(namespace=SPACE, label_selector="suite=dynamic", timeout=3, resource_version=0):
        heard.append(event["type"])
        if len(heard) == 1:
            maps.patch(body={"metadata": {"name": "dynamic"}, "data": {"a": "c"}}, namespace=SPACE, content_type="application/merge-patch+json")
        if len(heard) == 2:
            maps.delete(name="dynamic", namespace=SPACE)
    expect("events", heard, ["ADDED", "MODIFIED", "DELETED"])
    expect("uid", bool(made.metadata.uid), True)
    applied = maps.server_side_apply(body=body, namespace=SPACE, field_manager="suite")
    expect("manager", applied.metadata.managedFields[0].manager, "suite")


def shared_informer(api):
    core, heard = client.CoreV1Api(api), []
    core.create_namespaced_config_map(SPACE, config_map("informed"))
    made = informer.SharedInformer(core.list_namespaced_config_map, namespace=SPACE, label_selector="suite=informed")
    for kind in ("ADDED", "MODIFIED", "DELETED"):
        made.add_event_handler(kind, lambda _, kind=kind: heard.append(kind))
    made.start()
    eventually("the object is in the cache", lambda: made.cache.list_keys() == [SPACE + "/informed"])
    core.patch_namespaced_config_map("informed", SPACE, {"data": {"value": "2"}})
    eventually("the change is heard", lambda: "MODIFIED" in heard)
    core.delete_namespaced_config_map("informed", SPACE)
    eventually("the end is heard", lambda: "DELETED" in heard and not made.cache.list())
    made.stop()


def leader_election(_):
    leaders = []
    for name in ("first", "second"):
        settings = electionconfig.Config(ConfigMapLock("lock", SPACE, name), lease_duration=4, renew_deadline=3, retry_period=1,
                                         onstarted_leading=lambda name=name: leaders.append(name), onstopped_leading=lambda: None)
        threading.Thread(target=leaderelection.LeaderElection(settings).run, daemon=True).start()
        eventually("there is a leader", lambda: leaders)
    time.sleep(3)
    expect("leaders", leaders, ["first"])


def watch_goes_on(api):
    """A watch that the server ends goes on from where it was."""
    core, heard, watching = client.CoreV1Api(api), [], watch.Watch()
    core.create_namespaced_config_map(SPACE, config_map("watched", "0"))
    for event in watching.stream(core.list_namespaced_config_map, SPACE, label_selector="suite=watched", timeout_seconds=2):
        heard.append(event["object"].data["value"])
    expect("events", heard, ["0"])
    core.patch_namespaced_config_map("watched", SPACE, {"data": {"value": "1"}})
    for event in watching.stream(core.list_namespaced_config_map, SPACE, label_selector="suite=watched", timeout_seconds=2):
        heard.append(event["object"].data["value"])
    expect("events", heard, ["0", "1"])
    try:
        for _ in watch.Watch().stream(core.list_namespaced_config_map, SPACE, resource_version="1", timeout_seconds=2):
            pass
    except ApiException as error:
        expect("an old revision", error.status, 410)


def accounts(api):
    """A token of a service account is a client of its own."""
    core = client.CoreV1Api(api)
    core.create_namespaced_service_account(SPACE, {"metadata": {"name": "reader"}})
    client.RbacAuthorizationV1Api(api).create_namespaced_role_binding(SPACE, {
        "metadata": {"name": "reader"}, "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": SPACE}]})
    token = core.create_namespaced_service_account_token("reader", SPACE, {"spec": {"expirationSeconds": 600}}).status.token
    own = client.Configuration()
    config.load_kube_config(client_configuration=own)
    own.api_key, own.refresh_api_key_hook = {"BearerToken": "Bearer " + token, "authorization": "Bearer " + token}, None
    with client.ApiClient(own) as theirs:
        who = client.AuthenticationV1Api(theirs).create_self_subject_review({}).status.user_info
        expect("user", who.username, f"system:serviceaccount:{SPACE}:reader")
        eventually("the role counts", lambda: client.AuthorizationV1Api(theirs).create_self_subject_access_review({"spec": {
            "resourceAttributes": {"verb": "list", "resource": "configmaps", "namespace": SPACE}}}).status.allowed)
        client.CoreV1Api(theirs).list_namespaced_config_map(SPACE)
        try:
            client.CoreV1Api(theirs).list_namespaced_secret(SPACE)
            raise AssertionError("secrets are open")
        except ApiException as error:
            expect("code", error.status, 403)


def evictions_and_scale(api):
    core, apps = client.CoreV1Api(api), client.AppsV1Api(api)
    core.create_namespaced_pod(SPACE, {"metadata": {"name": "pod"}, "spec": {"containers": [{"name": "a", "image": "a:1"}]}})
    core.create_namespaced_pod_eviction("pod", SPACE, {"metadata": {"name": "pod"}})
    eventually("the pod is gone", lambda: all(one.metadata.name != "pod" for one in core.list_namespaced_pod(SPACE).items))
    scaled = apps.patch_namespaced_deployment_scale("web", SPACE, {"spec": {"replicas": 3}})
    expect("scale", scaled.spec.replicas, 3)
    eventually("the pods are there", lambda: len(core.list_namespaced_pod(SPACE, label_selector="app=web").items) == 3)


def asynchronous(_):
    async def work():
        await aio_config.load_kube_config()
        async with aio_client.ApiClient() as api:
            core = aio_client.CoreV1Api(api)
            await asyncio.gather(*(core.create_namespaced_config_map(SPACE, {"metadata": {"name": f"aio-{number}", "labels": {"suite": "aio"}}})
                                   for number in range(20)))
            listed = await core.list_namespaced_config_map(SPACE, label_selector="suite=aio", limit=15)
            expect("the first page", (len(listed.items), listed.metadata.remaining_item_count), (15, None))
            await core.delete_collection_namespaced_config_map(SPACE, label_selector="suite=aio")
            expect("left", (await core.list_namespaced_config_map(SPACE, label_selector="suite=aio")).items, [])
    asyncio.run(work())


def main():
    config.load_kube_config()
    api = client.ApiClient()
    client.CoreV1Api(api).create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=SPACE)))
    for check in (create_from_yaml, custom_objects, dynamic_client, shared_informer, leader_election, watch_goes_on, accounts,
                  evictions_and_scale, asynchronous):
        try:
            check(api)
            print(f"ok {check.__name__}", flush=True)
        except Exception:
            print(f"FAIL {check.__name__}: {' '.join(traceback.format_exc().split())[-700:]}", flush=True)


main()
